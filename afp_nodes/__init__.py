"""What is derived: pure functions of frames. No disk, no clock, no SQL."""
