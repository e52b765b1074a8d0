"""What is measured: fleets of any size, and the ratios of speed and size over them."""
