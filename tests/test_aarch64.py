"""The engine for aarch64 learns and predicts the committed bits. Run by `make aarch64`."""

import json

import pytest

import arm_machine
import learned_bits
from native_builds import build

pytestmark = pytest.mark.compilers


@pytest.fixture(scope="module")
def module():
    """Return the file of the native module, in a machine that is ready."""
    missing = arm_machine.missing_tool() or arm_machine.prepare()
    if missing:
        pytest.skip(f"no {missing}")
    return build(arm_machine.build_for_arm())


def test_python_is_that_of_the_other_machine(module):
    done = arm_machine.run("-c", "import platform; print(platform.machine())")
    assert done.stdout.strip() == "aarch64", done.stderr
    assert module.read_bytes()[18:20] == b"\xb7\x00"  # ELF's number for aarch64


def test_it_learns_and_predicts_the_committed_bits(module):
    script = learned_bits.__file__
    done = arm_machine.run("-W", "ignore", script, "--core", str(module), "--quick", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) > 15
    assert not learned_bits.differences(found, learned_bits.pinned())
