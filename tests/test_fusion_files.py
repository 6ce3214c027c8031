"""Fused models in files, in other evaluators, on the page and on the command line."""

import json

import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fuzzyucs
from command_line import call
from fusing import SITES, asked_rows, learned, shards, table
from fuzzyucs import fuse
from fuzzyucs.cli.main import main
from fuzzyucs.deployment.description import to_numpy
from fuzzyucs.deployment.numpy_model import NumpyModel
from fuzzyucs.fusion import estimate_reliability
from pages import EVALUATE, as_json, plain


@pytest.fixture(scope="module")
def models():
    return {name: learned(*part) for name, part in shards().items()}


@pytest.fixture(scope="module")
def fused(models):
    return fuse(models)


@pytest.fixture(scope="module")
def asked():
    return asked_rows()


def test_files_and_evaluators_say_the_same(fused, asked, tmp_path):
    path = fused.save(tmp_path / "fused.json")
    same = fuzzyucs.load(path)
    assert same.save(tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert same.rules_.to_text() == fused.rules_.to_text()
    assert [str(s) for s in same.rules_.sources] == [str(s) for s in fused.rules_.sources]
    evidence = fused.predict_evidence(asked)
    assert_array_equal(same.predict_proba(asked), evidence.probability)
    rows = fused.check_table(asked)
    for model in (NumpyModel.load(path), to_numpy(fused)):
        found = model.predict_evidence(rows)
        for name in ("belief", "ignorance", "novelty", "contradiction", "probability"):
            assert_allclose(getattr(found, name), getattr(evidence, name), rtol=0, atol=1e-9)
        assert_array_equal(found.verdict, evidence.verdict)
        assert_array_equal(found.reason, evidence.reason)
    assert NumpyModel.load(path).feature_names == list(fused.feature_names_in_)


def test_onnx_says_the_same(fused, asked):
    onnxruntime = pytest.importorskip("onnxruntime")
    from fuzzyucs.deployment.onnx import to_onnx

    session = onnxruntime.InferenceSession(to_onnx(fused).SerializeToString())
    rows = fused.check_table(asked)
    names = ["probabilities", "mass", "ignorance", "novelty", "contradiction", "verdict"]
    found = dict(zip(names, session.run(names, {"X": rows}), strict=True))
    evidence = fused.predict_evidence(asked)
    assert_allclose(found["probabilities"], evidence.probability, rtol=0, atol=1e-9)
    for name in ("mass", "ignorance", "novelty", "contradiction"):
        assert_allclose(found[name], getattr(evidence, name), rtol=0, atol=1e-9, err_msg=name)
    assert_array_equal(found["verdict"], evidence.verdict)


def test_a_changed_file_is_refused(fused, tmp_path):
    path = fused.save(tmp_path / "fused.json")
    document = json.loads(path.read_text())
    changes = [
        (lambda d: d["rule_set"]["rules"][0].update(origin=[False] * 3), "origin"),
        (lambda d: d["rule_set"]["rules"][0].update(origin=[True]), "origin"),
        (lambda d: d["rule_set"]["rules"][0].update(applies=[10**6, 0, 0]), "applies"),
        (lambda d: d["rule_set"]["variables"]["views"][0].update(feature=6), r"views\[0\].feature"),
        (lambda d: d["rule_set"]["variables"]["views"][0].pop("feature"), r"views\[0\]"),
        (lambda d: d["rule_set"]["sources"][1].update(name="north"), r"sources\[1\].name"),
        (lambda d: d["rule_set"]["sources"][1].update(weight=-1), r"sources\[1\].weight"),
        (lambda d: d["rule_set"].update(form=4), "form"),
    ]
    for change, expected in changes:
        changed = json.loads(json.dumps(document))
        change(changed)
        other = tmp_path / "changed.json"
        other.write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=expected):
            fuzzyucs.load(other)


def test_paths_name_sources(models, tmp_path):
    files = [model.save(tmp_path / f"{name}.json") for name, model in models.items()]
    found = fuse(files)
    assert [s.name for s in found.rules_.sources] == list(SITES)
    assert found.rules_.sources[0].n_rows == 200


def test_the_page_says_what_the_library_says(fused, asked, open_page):
    frame, y = table(120, seed=5)
    page = open_page(fused, frame, y)
    # Cells of numbers show what the library counted, at the sources of each rule.
    lines = page.locator("#rule-table tbody tr").all_inner_texts()
    rules = fused.rules_
    for rule, line in enumerate(lines):
        cells = line.replace("\xa0", " ").split("\t")
        applies, share, overall = rules.shown_values(rule)[1:4]
        assert cells[2:6] == [", ".join(rules.source_names(rule)), applies, share, overall]
    assert "Source north" in page.locator("#facts").inner_text()
    rows = fused.check_table(asked)[:25]
    evidence = fused.predict_evidence(asked[:25])
    degrees = fused.membership(asked[:25])
    for number, found in enumerate(page.evaluate(EVALUATE, as_json(rows))):
        assert_allclose(found["probability"], evidence.probability[number], rtol=0, atol=1e-9)
        assert_allclose(found["mass"], evidence.belief[number], rtol=0, atol=1e-9)
        assert_allclose(found["novelty"], evidence.novelty[number], rtol=0, atol=1e-9)
        assert_allclose(found["contradiction"], evidence.contradiction[number], atol=1e-9)
        assert [found["verdict"], found["reason"]] == [
            evidence.verdict[number],
            evidence.reason[number],
        ]
        assert_allclose([d for _, d in found["degrees"]], degrees[number], rtol=0, atol=1e-9)
        if number in (1, 4, 6):
            told = [str(flip) for flip in fused.explain(asked.iloc[[number]]).flips]
            assert [plain(flip["words"]) for flip in found["flips"]] == told
    page.evaluate(
        "record => WHAT_IF.setRecord(record.map(x => x === null ? NaN : x), 'some')",
        as_json(rows[5:6])[0],
    )
    assert "[" in page.locator("#ledger").inner_text()


@pytest.fixture
def folder(models, tmp_path):
    for name, model in models.items():
        model.save(tmp_path / f"{name}.json")
    frame, y = table(120, seed=9)
    frame.assign(state=y).to_csv(tmp_path / "held_out.csv", index=False)
    return tmp_path


def say(capsys, *arguments):
    status, said, told = call(capsys, *arguments)
    assert status == 0, told
    return said


def test_the_command_writes_what_fuse_returns(models, folder, capsys):
    files = [str(folder / f"{name}.json") for name in SITES]
    output = folder / "fused.json"
    text = say(capsys, "fuse", *files, "-o", output, "--reliability", "south=0.5")
    rules = fuse(models, {"south": 0.5}).rules_
    assert f"{len(rules)} rules of 3 sources" in text
    assert "south (200 records, evidence counted" in text.replace("\n", " ")
    assert fuzzyucs.load(output).rules_.to_text() == rules.to_text()
    data = folder / "held_out.csv"
    found = json.loads(
        say(
            capsys,
            "fuse",
            *files,
            "-o",
            output,
            "--data",
            data,
            "--target",
            "state",
            "--json",
            "-q",
        )
    )
    frame, y = table(120, seed=9)
    expected = estimate_reliability(models, frame, y)
    assert_allclose([s["reliability"] for s in found["sources"]], expected)
    say(capsys, "fuse", *files, "-o", output, "--base-rates", "ill=0.2,mild=0.2,well=0.6")
    assert_array_equal(fuzzyucs.load(output).base_rates_, [0.2, 0.2, 0.6])
    told = say(capsys, "explain", output, data, "--row", "1")
    assert any(f"[{name}]" in told for name in SITES)
    assert "[north" in say(capsys, "rules", output)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--reliability", "east=1"], "the sources are 'north', 'south', got 'east'"),
        (["--reliability", "north"], "expected LABEL=NUMBER"),
        (["--reliability", "north=much"], "expected a number for 'north'"),
        (["--data", "held_out.csv"], "--data and --target must be given together"),
        (["--data", "x.csv", "--target", "y", "--reliability", "north=1"], "is not needed"),
        (["-o", "north.json"], "would replace the input"),
    ],
)
def test_wrong_options_are_named(folder, capsys, monkeypatch, options, expected):
    monkeypatch.chdir(folder)
    assert main(["fuse", "north.json", "south.json", *options]) == 2
    assert expected in " ".join(capsys.readouterr().err.split())
    assert not (folder / "fused.json").exists()
