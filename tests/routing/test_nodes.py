"""Each node of routing, on frames small enough to be read."""

import polars as pl
import pytest

from afp_nodes.routing.deliveries import delivered_skills, delivery_proofs, routing_checks
from afp_nodes.routing.events import legs, prompt_compositions, routing_events, skill_graphs, skill_injections
from afp_nodes.routing.outcomes import routing
from afp_nodes.routing.pointers import event_pointer
from afp_nodes.routing.refusals import routing_refusals
from afp_nodes.routing.verdicts import held_routes, routing_verdicts
from afp_nodes.schemas import (
    DeliveredSkills,
    DeliveryProofs,
    Events,
    Frame,
    HeldRoutes,
    Legs,
    PromptCompositions,
    RoutingChecks,
    RoutingEvents,
    RoutingVerdicts,
    RunRecords,
    SkillGraphs,
    SkillInjections,
    States,
)
from afp_nodes.templates import filled
from tests.tables import shown, table

INJECTED = "agentfootprint.context.injected"


def told(schema: type[Frame], text: str) -> pl.LazyFrame:
    """A table of events, whose types are written with `~` for their prefix."""
    return table(schema, text.replace("~", "agentfootprint."))


def test_only_own_events_with_a_payload_and_of_a_type_that_is_asked_for_are_read() -> None:
    events = told(
        Events,
        """
        run_id | event_idx | own | type              | payload_json
        a      | 0         | T   | ~agent.turn_end   | {}
        a      | 1         | F   | ~agent.turn_end   | {}
        a      | 2         | T   | ~agent.turn_end   |
        a      | 3         | T   | ~stream.llm_end   | {}
        a      | 4         | T   |                   | {}
        a      | 5         | T   | agent.turn_end    | {}
        a      | 6         | T   | ~context.injected | {"source":"base"}
        a      | 7         | T   | ~context.injected | {"source":"skill"}
        a      | 8         | T   | ~context.injected | {"source":"sk\\u0069ll"}
        """,
    )
    assert shown(routing_events(events, table(States, "run_id|which|state_json")), "event_idx") == [(0,), (7,), (8,)]


def test_in_a_redacted_run_what_is_kept_out_is_taken_out_and_named() -> None:
    events = told(
        Events,
        """
        run_id | event_idx | own | type              | payload_json
        a      | 0         | T   | ~skill.rejected   | {"requestedId":"[REDACTED]","x":1.0}
        b      | 0         | T   | ~skill.rejected   | {"requestedId":"[REDACTED]","x":1.0}
        b      | 1         | T   | ~skill.rejected   | {"requestedId":["REDACTED"]}
        b      | 2         | T   | ~skill.rejected   | {}
        b      | 3         | T   | ~context.injected | {"source":"REDACTED"}
        """,
    )
    states = table(States, "run_id|which|state_json\nb|redaction|{}\na|shared|{}")
    assert shown(routing_events(events, states), "run_id", "event_idx", "payload_json", "kept_out") == [
        ("a", 0, '{"requestedId":"[REDACTED]","x":1.0}', None),
        ("b", 0, '{"x":1}', ["requestedId"]),
        ("b", 1, '{"requestedId":["REDACTED"]}', None),
        ("b", 2, "{}", []),
        ("b", 3, "{}", ["source"]),
    ]


def test_the_last_call_before_the_last_end_answers_whatever_the_order_of_rows() -> None:
    events = told(
        RoutingEvents,
        """
        run_id | event_idx | type              | payload_json
        a      | 5         | ~stream.llm_start | {"iteration":3}
        a      | 1         | ~stream.llm_start | {"iteration":1}
        a      | 4         | ~agent.turn_end   | {}
        a      | 3         | ~stream.llm_start | {"iteration":2.0}
        a      | 2         | ~agent.turn_end   | {}
        a      | 0         | ~agent.turn_start | {}
        b      | 1         | ~stream.llm_start | {"iteration":true}
        b      | 0         | ~stream.llm_start | {"iteration":7}
        c      | 0         | ~agent.turn_end   | {}
        """,
    )
    assert shown(legs(events), "run_id", "resumed_leg", "answering_iteration") == [
        ("a", False, 2.0),
        ("b", False, None),
        ("c", True, None),
    ]


def test_a_run_was_configured_by_the_first_event_that_says_so() -> None:
    events = told(
        RoutingEvents,
        """
        run_id | event_idx | type                  | payload_json
        a      | 1         | ~agent.run_configured | {"skillGraph":{}}
        a      | 0         | ~agent.run_configured | {"skillGraph":null}
        b      | 0         | ~agent.run_configured | {"skillGraph":{"routing":"rails","scorer":5}}
        """,
    )
    assert shown(skill_graphs(events), "run_id", "configured", "routing", "configured_scorer") == [
        ("a", "none", None, None),
        ("b", "graph", "rails", None),
    ]


def test_injections_are_those_of_skills_into_the_system_prompt() -> None:
    events = table(
        RoutingEvents,
        """
        event_idx | runtime_stage_id | payload_json
        0         | s                | {"slot":"system-prompt","source":"skill","sourceId":"x"}
        1         |                  | {"slot":"system-prompt","source":"skill","sourceId":""}
        2         | s                | {"slot":"tools","source":"skill","sourceId":"x"}
        3         | s                | {"slot":"system-prompt","source":"fact","sourceId":"skill"}
        4         | s                | {"slot":"system-prompt","source":"skill","sourceId":null}
        """,
    ).with_columns(type=pl.lit(INJECTED))
    assert shown(skill_injections(events), "event_idx", "runtime_stage_id", "skill_id") == [
        (0, "s", "x"),
        (1, None, ""),
    ]


def test_compositions_are_those_of_the_system_prompt() -> None:
    events = table(
        RoutingEvents,
        """
        event_idx | payload_json
        0         | {"slot":"system-prompt","iteration":2,"sourceBreakdown":{"skill":{"count":1.5}}}
        1         | {"slot":"system-prompt","iteration":"2","sourceBreakdown":{}}
        2         | {"slot":"system-prompt","iteration":2.0,"sourceBreakdown":{"skill":true}}
        3         | {"slot":"messages","iteration":2,"note":"system-prompt"}
        """,
    ).with_columns(type=pl.lit("agentfootprint.context.slot_composed"))
    assert shown(prompt_compositions(events), "event_idx", "iteration", "skill_rows") == [
        (0, 2.0, 1.5),
        (1, None, 0.0),
        (2, 2.0, None),
    ]


INJECTIONS = """
run_id | event_idx | runtime_stage_id | skill_id | pointer
a      | 9         | s2               | x        | p9
a      | 1         | s1               | y        | p1
a      | 2         | s1               | x        | p2
b      | 0         |                  | y        | p0
"""


def test_a_skill_is_delivered_at_its_first_record() -> None:
    delivered = delivered_skills(table(SkillInjections, INJECTIONS))
    assert shown(delivered, "run_id", "position", "skill_id", "pointer") == [
        ("a", 0, "y", "p1"),
        ("a", 1, "x", "p2"),
        ("b", 0, "y", "p0"),
    ]


def test_a_proof_needs_the_last_composition_of_every_iteration_to_count_its_rows() -> None:
    compositions = table(
        PromptCompositions,
        """
        run_id | event_idx | runtime_stage_id | iteration | skill_rows | pointer
        a      | 10        | s2               | 2         | 1          | q10
        a      | 3         | s1               | 1         | 2          | q3
        a      | 0         | s1               | 1         | 0          | q0
        a      | 11        | s9               | 3         | 5          | q11
        b      | 1         |                  | 1         | 1          | q1
        b      | 2         |                  | 1         |            | q2
        c      | 0         |                  | 1         | 0          | q0
        """,
    )
    known = table(
        Legs,
        """
        run_id | answering_iteration | delivery_kept_out
        a      | 2.5                 | F
        b      | 1                   | F
        c      | 1                   | T
        """,
    )
    proofs = delivery_proofs(known, compositions, table(SkillInjections, INJECTIONS))
    assert shown(proofs, "run_id", "pointers") == [("a", "q0,q3,q10,q11")]
    earlier = compositions.filter(pl.col("event_idx") != 2)
    assert shown(delivery_proofs(known, earlier, table(SkillInjections, INJECTIONS)), "run_id") == [("a",), ("b",)]
    longer = known.with_columns(answering_iteration=pl.lit(3.0))
    assert shown(delivery_proofs(longer, earlier, table(SkillInjections, INJECTIONS)), "run_id") == []


def test_a_check_is_made_of_what_was_given_and_of_what_is_proven() -> None:
    verdicts = table(
        RoutingVerdicts,
        """
        run_id | decided_by | to_skill | to_kept_out | to_pointer
        a      | entry      | x        | F           | to
        b      | intent     | x        | F           | to
        c      | decider    | x        | F           | to
        d      | menu       | x        | F           | to
        e      | continuity |          | F           | to
        f      | continuity |          | T           | to
        g      |            |          | F           | to
        """,
    )
    delivered = table(DeliveredSkills, "run_id|skill_id|position|pointer\na|x|1|given\nb|y|0|other\nd|x|0|given")
    proofs = table(DeliveryProofs, "run_id|pointers\na|q1\nb|q1,q2\nd|q1\ne|q1")
    checks = routing_checks(verdicts, delivered, proofs)
    columns = ("run_id", "asked_skill", "check_state", "delivered_verdict", "check_pointers", "signal_pointers")
    assert shown(checks, *columns) == [
        ("a", "x", "reachable", "delivered", "to,given", None),
        ("b", "x", "reachable", "not-delivered", "to", "q1,q2"),
        ("c", "x", "unreachable", None, "to", None),
        ("d", None, "not-applicable", None, "to", None),
        ("e", None, "not-applicable", None, "to", None),
        ("f", None, "unreachable", None, "to", None),
    ]


def test_of_verdicts_an_event_that_speaks_stands_before_a_held_one_and_that_before_silence() -> None:
    events = told(
        RoutingEvents,
        """
        run_id | event_idx | type               | payload_json
        a      | 1         | ~skill.turn_routed | {"by":"menu"}
        a      | 0         | ~skill.turn_routed | {"by":"entry","to":"x","decisive":true}
        b      | 0         | ~skill.turn_routed | {"by":null,"to":"x","scorer":"kw"}
        c      | 0         | ~skill.turn_routed | {"to":"x","scorer":"kw"}
        """,
    )
    held = table(
        HeldRoutes,
        """
        run_id | route_json
        a      | {"by":"held","entryScores":null,"entryScorer":null}
        b      | {"by":"held","entryScores":null,"entryScorer":"kw"}
        d      | {"by":"held","to":"y","entryScores":[{"id":"y","score":1},{"id":"z","score":0}],"entryScorer":null}
        e      | {"by":5,"entryScores":null,"entryScorer":null}
        """,
    )
    columns = ("run_id", "decided_by", "to_skill", "scorer", "held", "is_unread", "top_score")
    assert shown(routing_verdicts(events, held), *columns) == [
        ("a", "entry", "x", None, False, False, None),
        ("b", "held", None, "kw", True, True, None),
        ("c", None, None, None, False, True, None),
        ("d", "held", "y", None, True, False, 1.0),
    ]


@pytest.mark.parametrize(
    ("shared", "initial", "held"),
    [
        ('{"turnRoute":{"by":"x"}}', '{"turnRoute":{"by":"x"},"history":[]}', '"entryScores":null,"entryScorer":null'),
        (
            '{"turnRoute":{"by":"x"},"entryScores":[1.0],"entryScorer":"kw"}',
            '{"turnRoute":{"by":"x"},"entryScores":[1],"entryScorer":"kw","history":[0]}',
            '"entryScores":[1],"entryScorer":"kw"',
        ),
        (
            '{"turnRoute":{"by":"x"},"entryScores":[1],"entryScorer":"kw"}',
            '{"turnRoute":{"by":"x"},"entryScores":[2],"entryScorer":"kw","history":[0]}',
            '"entryScores":null,"entryScorer":null',
        ),
        ('{"turnRoute":{"by":"x"}}', '{"turnRoute":{"by":"x"}}', None),
        ('{"turnRoute":[]}', '{"turnRoute":[],"history":[]}', None),
    ],
)
def test_a_route_is_held_where_both_states_hold_it(shared: str, initial: str, held: str | None) -> None:
    resumed = table(Legs, "run_id|resumed_leg\na|T")
    states = table(States, f"run_id|which|state_json\na|shared|{shared}\na|initial|{initial}")
    expected = [] if held is None else [(f'{{"by":"x",{held}}}',)]
    assert shown(held_routes(resumed, states), "route_json") == expected
    assert shown(held_routes(table(Legs, "run_id|resumed_leg\na|F"), states)) == []
    of_checkpoint = states.with_columns(from_checkpoint=pl.col("which") == "shared")
    assert shown(held_routes(resumed, of_checkpoint)) == []


def test_refusals_are_counted_on_by_run_and_told_of_the_decided_skill() -> None:
    events = told(
        RoutingEvents,
        """
        run_id | event_idx | type              | payload_json
        a      | 0         | ~permission.check | {"capability":"skill_read","target":"skill:x","result":"halt"}
        a      | 2         | ~skill.rejected   | {"requestedId":"x"}
        a      | 1         | ~skill.rejected   | {"requestedId":"y"}
        b      | 0         | ~skill.rejected   | {"requestedId":"x"}
        """,
    )
    checks = table(RoutingChecks, "run_id|asked_skill|check_state\na|x|unreachable\nb||not-applicable")
    columns = ("run_id", "position", "event_idx", "requested_skill", "refused_by", "of_decided_skill", "line")
    assert shown(routing_refusals(events, checks), *columns) == [
        ("a", 0, 1, "y", "skill-graph", False, None),
        ("a", 1, 2, "x", "skill-graph", True, 0),
        ("a", 2, 0, "x", "permission", True, 1),
        ("b", 0, 0, "x", "skill-graph", False, None),
    ]


def test_every_run_has_a_row_also_where_nothing_is_told() -> None:
    records = table(
        RunRecords,
        """
        run_id | events | foreign_events | unread_events
        a      |        |                |
        b      | 5      | 3              | 2
        c      | 5      | 1              | 1
        d      | 1      | 0              | 0
        """,
    )
    known = table(Legs, "run_id|resumed_leg|answering_iteration\nc|T|\nd|F|2")
    graphs = table(SkillGraphs, "run_id|configured|pointer\nd|none|{}")
    verdicts = table(RoutingVerdicts, "run_id|held|is_unread|decided_by\nc|F|T|")
    rows = routing(
        records,
        known,
        graphs,
        verdicts,
        table(RoutingChecks, "run_id|check_state"),
        table(DeliveredSkills, "run_id|skill_id"),
    )
    columns = ("run_id", "status", "unreachable_reason", "before_pause", "delivered_skills", "unread", "foreign_events")
    assert shown(rows, *columns) == [
        ("a", "not-recorded", "decided/no-event", None, None, 0, 0),
        ("b", "not-recorded", "decided/no-event", None, None, 2, 3),
        ("c", "not-recorded", "decided/before-pause", "lost", [], 2, 1),
        ("d", "not-applicable", None, None, [], 0, 0),
    ]


def test_a_pointer_names_its_step_where_there_is_one_and_is_always_json() -> None:
    events = pl.LazyFrame({"event_idx": [3, 4], "runtime_stage_id": ['a"\\\x01é', None]})
    assert events.select(event_pointer(INJECTED, "/slot")).collect().to_series().to_list() == [
        '{"kind":"event","index":3,"type":"agentfootprint.context.injected","path":"/slot",'
        '"runtimeStageId":"a\\"\\\\\\u0001é"}',
        '{"kind":"event","index":4,"type":"agentfootprint.context.injected","path":"/slot"}',
    ]


def test_a_template_is_filled_in_any_frame() -> None:
    parts = [pl.DataFrame({"kept": kept, "n": range(len(kept))}) for kept in ([False], [True] * 4)]
    rows = pl.concat(parts, rechunk=False).lazy().filter("kept")
    texts = rows.select(filled('{"n":{},"x":[{}]}', "n", pl.lit(None, pl.String).fill_null("")))
    assert texts.collect().to_series().to_list() == [f'{{"n":{n},"x":[]}}' for n in range(4)]
    assert rows.select(filled("{}.", pl.col("n").replace(0, None))).collect().to_series().to_list()[:2] == [None, "1."]
    with pytest.raises(ValueError, match="zip"):
        filled("{} {}", "n")
