"""No verb acts on an old answer without a word: a law of all verbs, and what makes answers old.

Each verb, asked of a scene that has changed since, does what it does after a fresh question.
"""

import json
from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import cube, link, selected
from never_seen_scenes import box_of_parts, glass, slab
from paper import drawn
from seen_scenes import add_row, answer, cubes
from shot_scenes import keep_answer
from snapshots import whole_file
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.octree_addon import cameras, hiding
from octree_ext.octree_addon.answers import verb_operators
from octree_ext.octree_addon.answers.verb_operators import (
    ASKED_AGAIN,
    RULE,
    AnswerOperator,
    AskingOperator,
    SettledOptions,
)
from octree_ext.octree_addon.ui import forget_session, settings_of


@pytest.fixture(autouse=True)
def forgotten(in_numpy):
    yield
    forget_session()


class FakeEvent:
    def __init__(self, kind):
        self.type = kind


class FakeContext:
    """The context, with a window manager that does nothing."""

    window_manager = SimpleNamespace(
        progress_begin=lambda *_: None,
        progress_update=lambda *_: None,
        progress_end=lambda: None,
        event_timer_add=lambda *_, **__: "timer",
        event_timer_remove=lambda *_: None,
        modal_handler_add=lambda *_: None,
    )

    def __getattr__(self, name):
        return getattr(bpy.context, name)


def verbs(kind=AnswerOperator):
    """Yield the registered operators on answers, by the question that they are about."""
    for each in kind.__subclasses__():
        if issubclass(each, bpy.types.Operator):
            yield each.answers.question, each.__name__.partition("_OT_")[2]
        yield from verbs(each)


VERBS = sorted(set(verbs()))


def test_all_verbs_are_under_the_law():
    """What offers an answer to be used is one of them."""
    found = {name for _, name in VERBS}
    assert found == {
        *(f"{verb}_seen" for verb in ("select", "collect", "mark", "export")),
        "hide_unseen",
        *(f"{verb}_never_seen" for verb in ("select", "collect", "hide", "mark", "mask", "copy")),
    }
    known = {name for name in dir(bpy.ops.octree) if name.endswith(("seen", "unseen"))}
    assert known - found == {"find_seen", "find_never_seen", "unmask_never_seen"}


def add_scene():
    """Add a row of cubes that a camera passes over, and a slab below with a part under it."""
    items = add_row()
    slab(8, location=(-1, -4, -3))
    cube("Under", size=0.3, location=(2, 0, -6))
    bpy.context.view_layer.update()
    return items


SHOTS = {
    "current": {"behind": "IGNORE"},
    "faces": {"behind": "IGNORE", "faces": True},
    "shot": {"behind": "IGNORE", "span": "CUSTOM", "first": 1, "last": 2},
    "pixels": {"behind": "UNSEEN", "resolution": 100},
    "pixels of a shot": {"behind": "UNSEEN", "span": "CUSTOM", "first": 1, "last": 2},
}
VIEWS = {
    "outside": {"views": "OUTSIDE", "directions": 4, "resolution": 48},
    "cameras": {"views": "SHOT", "span": "CUSTOM", "first": 1, "last": 2, "resolution": 48},
}


def move_into_view():
    bpy.data.objects["Aside"].location = bpy.data.objects["Cube 1"].location


def move_the_camera():
    bpy.data.objects["Camera"].delta_location.x = 4


def widen_the_lens():
    bpy.data.objects["Camera"].data.ortho_scale = 20


def edit_another_frame():
    """Move something into view in a frame that is not the present one."""
    item = bpy.data.objects["Aside"]
    item.keyframe_insert("location", frame=2)
    item.location = bpy.data.objects["Cube 0"].location
    item.keyframe_insert("location", frame=1)
    bpy.context.scene.frame_set(2)


def hide_by_hand():
    bpy.data.objects["Cube 1"].hide_set(True)


def add_an_object():
    cube("New", size=0.4, location=(2, 0, 1))


def go_to_another_frame():
    bpy.context.scene.frame_set(4)


def change_the_border():
    render = bpy.context.scene.render
    render.use_border = True
    render.border_min_x, render.border_max_x = 0.9, 1.0


def hide_from_rays():
    bpy.data.objects["Cube 1"].visible_camera = False


CHANGES = [
    move_into_view,
    move_the_camera,
    widen_the_lens,
    edit_another_frame,
    hide_by_hand,
    add_an_object,
    go_to_another_frame,
    change_the_border,
    hide_from_rays,
]


def asked(question, options):
    return lambda: getattr(bpy.ops.octree, question)(**options)


def outcome(first, second, verb, path):
    """Return what a scene, and an exported table, are like after two steps and a verb."""
    bpy.ops.wm.read_homefile(use_empty=True)
    add_scene()
    first()
    second()
    given = {"filepath": str(path)} if verb == "export_seen" else {}
    if verb == "hide_unseen":
        given["icon"] = "MONITOR"
    getattr(bpy.ops.octree, verb)(**given)
    table = json.loads(path.read_text(encoding="utf-8")) if given.get("filepath") else None
    return whole_file(), table


CASES = [
    (question, verb, options)
    for question, verb in VERBS
    for options in (SHOTS if question == "find_seen" else VIEWS)
    if verb.startswith("select") or options in ("faces", "pixels of a shot", "cameras")
]


def is_harmless(change, options):
    """Tell whether a change concerns no answer of these options."""
    is_of_frames = "span" in {**SHOTS, **VIEWS}[options]
    is_frustum = {**SHOTS, **VIEWS}[options].get("behind") == "IGNORE"
    return (change is go_to_another_frame and is_of_frames) or (
        change is hide_from_rays and is_frustum
    )


@pytest.mark.parametrize(("question", "verb", "options"), CASES)
def test_a_verb_on_a_changed_scene_does_what_a_fresh_answer_says(
    question, verb, options, tmp_path, capfd
):
    ask = asked(question, {**SHOTS, **VIEWS}[options])
    path = tmp_path / "seen.json"
    for change in CHANGES if verb.startswith("select") else CHANGES[:: len(verb) % 3 + 2]:
        old = outcome(ask, change, verb, path)
        assert (ASKED_AGAIN in capfd.readouterr().out) != is_harmless(change, options), change
        assert old == outcome(change, ask, verb, path), change
        assert ASKED_AGAIN not in capfd.readouterr().out


@pytest.mark.parametrize("question", ["find_seen", "find_never_seen"])
@pytest.mark.parametrize("span", ["CURRENT", "CUSTOM"])
@pytest.mark.parametrize("icon", ["EYE", "MONITOR", "RENDER"])
def test_nothing_that_the_verbs_do_makes_their_answer_old(question, span, icon, tmp_path, capfd):
    """Nor frames that are set, selections, undone verbs, and what is restored."""
    add_scene()
    settings_of(bpy.context.scene).hiding.icon = icon
    options = {"first": 1, "last": 2, "span": span, "cameras": "SCENE"}
    kind = {"behind": "UNSEEN"} if question == "find_seen" else {"views": "SHOT", "resolution": 48}
    bpy.ops.ed.undo_push(message="made")
    getattr(bpy.ops.octree, question)("EXEC_DEFAULT", True, **options, **kind)
    for each, verb in VERBS:
        if each != question:
            continue
        given = {"filepath": str(tmp_path / "seen.csv")} if verb == "export_seen" else {}
        for _ in range(2):
            getattr(bpy.ops.octree, verb)("EXEC_DEFAULT", True, **given)
            if verb.startswith(("hide", "copy")):
                bpy.ops.octree.restore_hidden("EXEC_DEFAULT", True)
                bpy.ops.ed.undo()
        if verb != "export_seen":
            bpy.ops.ed.undo()
            bpy.ops.ed.redo()
        bpy.ops.object.select_all(action="DESELECT")
        if span == "CUSTOM":
            bpy.context.scene.frame_set(5)
            bpy.context.scene.frame_set(2)
    assert ASKED_AGAIN not in capfd.readouterr().out


def test_what_frames_show_and_switch_makes_no_answer_about_them_old(capfd):
    items = add_row()
    for frame, is_hidden in ((1, False), (4, True)):
        for flag in ("hide_viewport", "hide_render"):
            setattr(items[2], flag, is_hidden)
            items[2].keyframe_insert(flag, frame=frame)
    scene = bpy.context.scene
    for frame in (1, 4):
        item = bpy.data.objects["Camera"].copy()
        link(item)
        scene.timeline_markers.new(item.name, frame=frame).camera = item
    scene.frame_set(2)
    bpy.ops.octree.find_seen(span="SCENE", step=1, behind="UNSEEN")
    for frame in (5, 1, 3):
        scene.frame_set(frame)
        bpy.ops.octree.select_seen()
    assert ASKED_AGAIN not in capfd.readouterr().out
    scene.timeline_markers[1].frame = 3
    bpy.ops.octree.select_seen()
    assert ASKED_AGAIN in capfd.readouterr().out


def test_the_tooltips_tell_the_rule():
    for _, verb in VERBS:
        kind = getattr(bpy.types, f"OCTREE_OT_{verb}")
        assert kind.description(bpy.context, None) == f"{kind.bl_description}.\n{RULE}"


def test_panels_say_which_answers_may_be_old():
    items = add_row()
    bpy.ops.octree.find_seen()
    bpy.ops.octree.find_never_seen(views="OUTSIDE", directions=2, resolution=16)
    kept = bpy.context.scene.octree.results

    def is_old(question):
        kept.active = next(n for n, each in enumerate(kept.kept) if each.question == question)
        return "May be old; asked again first" in drawn(bpy.types.OCTREE_PT_results)

    assert not is_old("find_seen")
    assert not is_old("find_never_seen")
    items[3].location.x += 1
    bpy.context.view_layer.update()
    assert is_old("find_seen")
    assert is_old("find_never_seen")
    bpy.ops.octree.select_seen()
    assert not is_old("find_seen")


def test_what_the_answer_has_hidden_stays_known(capfd):
    add_row()
    bpy.ops.octree.find_seen()
    bpy.ops.octree.hide_unseen(icon="MONITOR")
    bpy.ops.octree.collect_seen(part="UNSEEN")
    unseen = cubes(0, 2, 3, 4) | {"Aside"}
    assert set(bpy.data.collections["Unseen"].objects.keys()) == unseen
    assert len(answer().objects) == 6
    assert ASKED_AGAIN not in capfd.readouterr().out


def test_a_change_that_was_undone_before_the_question_came_is_one(capfd):
    items = add_row()
    bpy.ops.ed.undo_push(message="made")
    items[3].location = items[1].location
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.octree.find_seen("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()  # the question
    bpy.ops.ed.undo()  # the move
    bpy.ops.octree.select_seen()
    assert selected() == cubes(1)
    assert ASKED_AGAIN in capfd.readouterr().out


def test_selected_objects_and_cameras_stay_those_that_were_asked_about():
    items = add_row()
    for item in items[:3]:
        item.select_set(True)
    bpy.data.objects["Camera"].select_set(True)
    bpy.ops.octree.find_seen(scope="SELECTED", cameras="SELECTED")
    bpy.ops.octree.select_seen()
    assert selected() == cubes(1)
    items[2].location = items[1].location
    bpy.ops.octree.select_seen()
    assert selected() == cubes(1, 2)


class Verb(AskingOperator[SettledOptions]):
    """A verb that asks the user, without a window."""

    properties = SimpleNamespace(bl_rna=SimpleNamespace(properties=()))
    answers = cameras.visibility_result.ANSWERS
    is_settled = False

    def __init__(self):
        self.done, self.reports = [], []

    def ask(self, context, event):
        self.done.append("asked the user")
        return {"RUNNING_MODAL"}

    def use(self, context, prepared):
        self.done.append("used")
        return "used"

    def report(self, levels, message):
        self.reports.append(message)


@pytest.fixture
def verb(monkeypatch):
    """Return a verb in what looks like a window, where each turn takes one step."""
    invoked = []
    fake = SimpleNamespace(Verb=lambda how, **values: invoked.append((how, values)))
    monkeypatch.setattr(verb_operators, "operator_named", lambda name: getattr(fake, name))
    monkeypatch.setattr(verb_operators, "is_without_window", lambda: False)
    found = Verb()
    found.invoked = invoked
    with tuned(octree_addon, first_turn=-1.0, turn=-1.0):
        yield found


def go_on(verb, context, kind="TIMER"):
    status = verb.modal(context, FakeEvent(kind))
    for _ in range(10_000):
        if status != {"RUNNING_MODAL"}:
            return status
        status = verb.modal(context, FakeEvent(kind))
    raise AssertionError("it never ends")


def test_a_dialog_about_an_answer_that_stands_opens_at_once(verb):
    add_row()
    bpy.ops.octree.find_seen()
    assert verb.invoke(FakeContext(), None) == {"RUNNING_MODAL"}
    assert verb.done == ["asked the user"]


def test_a_dialog_about_an_old_answer_comes_after_the_question(verb):
    items, context = add_row(), FakeContext()
    bpy.ops.octree.find_seen(span="SCENE", step=1)
    before, items[3].location.y = answer(), 9
    assert verb.invoke(context, None) == {"RUNNING_MODAL"}
    assert (verb.done, answer()) == ([], before)
    assert go_on(verb, context) == {"FINISHED"}
    assert verb.invoked == [("INVOKE_DEFAULT", {"is_settled": True})]
    assert verb.done == []
    assert answer() is not before
    assert verb.reports == [ASKED_AGAIN.capitalize()]


def test_escape_while_an_answer_is_asked_again_keeps_the_old_one(verb):
    items, context = add_row(), FakeContext()
    bpy.ops.octree.find_seen(span="SCENE", step=1)
    before, items[3].location.y = answer(), 9
    verb.invoke(context, None)
    verb.modal(context, FakeEvent("TIMER"))
    assert verb.modal(context, FakeEvent("ESC")) == {"CANCELLED"}
    assert answer() is before
    assert not verb.answers.is_valid(bpy.context)
    assert verb.invoked == verb.done == []


def test_an_answer_that_cannot_be_asked_again_is_refused():
    items = add_row()
    keep_answer(items[1:], items[:1])
    items[2].location.x += 1
    bpy.context.view_layer.update()
    before = whole_file()
    with pytest.raises(RuntimeError, match="has changed since"):
        bpy.ops.octree.hide_unseen()
    assert whole_file() == before


def test_a_question_that_can_be_asked_no_more_is_refused():
    add_row()
    bpy.ops.octree.find_seen()
    bpy.data.objects.remove(bpy.data.objects["Camera"])
    before = whole_file()
    with pytest.raises(RuntimeError, match="The scene has no camera"):
        bpy.ops.octree.hide_unseen()
    assert whole_file() == before


def test_an_answer_asked_again_replaces_the_one_in_results():
    items = add_row()
    bpy.ops.octree.find_seen()
    items[3].location = items[1].location
    bpy.ops.octree.collect_seen()
    kept = settings_of(bpy.context.scene).results.kept
    assert [(each.name, each.count) for each in kept] == [
        ("Not Seen by Cameras", 4),
        ("Seen by Cameras", 2),
    ]


def test_glass_that_came_later_is_asked_about():
    box, parts = box_of_parts(3)
    box.data.materials.append(bpy.data.materials.new("Plain"))
    options = {"views": "OUTSIDE", "directions": 12, "resolution": 64, "is_open": True}
    bpy.ops.octree.find_never_seen(**options)
    box.material_slots[0].material = glass()
    bpy.ops.octree.select_never_seen(kind="OBJECTS")
    assert selected() == set()
    assert hiding.hidden_counts(bpy.context.scene) == {}
    assert parts


def test_steps_of_a_verb_that_are_dropped_change_nothing():
    """As Esc does, in the middle of asking again."""
    items = add_row()
    bpy.ops.octree.find_seen(span="SCENE")
    before, found = whole_file(), answer()
    items[3].location = items[1].location
    steps = cameras.visibility_result.ANSWERS.valid_steps(bpy.context)
    for _ in range(3):
        next(steps)
    steps.close()
    items[3].location.x = 6
    bpy.context.view_layer.update()
    assert whole_file() == before
    assert answer() is found
    assert not cameras.visibility_result.ANSWERS.is_valid(bpy.context)
