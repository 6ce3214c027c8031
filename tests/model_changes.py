"""Random changes to the text of a model file."""

import copy
import json

JUNK = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        3,
        31,
        2**31,
        2**32,
        2**63,
        2**64,
        -(2**63),
        10**40,
        10**4000,
    ),
    *(0.0, -0.0, 0.5, 1.0, -1.0, 1e-320, 1e-300, 1e-17, 1e16, 1e300, 1.7e308, -1e300, 0.1 + 0.2),
    *("", "NaN", "inf", "-inf", "0", "1e5", "auto", "weighted", "\ud800", "\0", "ü" * 5000, "x0"),
    *([], [[]], [0], [0.5, 0.5], ["a", "b"], [None], [1, 2, 3], [0.0] * 1000, {}, {"a": 1}),
    *({"mapping": []}, {"mapping": [["a", [1, 2]]]}, {"mapping": [[0, {"mapping": [[1, 1]]}]]}),
]


def locations(value, found):
    """List everything in a tree together with what holds it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        found.append((value, key))
        if isinstance(part, dict | list):
            locations(part, found)
    return found


def change_tree(document, rng):
    """Change one place of a document."""
    # Numbers of arrays are most of what there is, so what holds them is picked first.
    holders = {id(holder): holder for holder, _ in locations(document, [])}
    holder = rng.choice(list(holders.values()))
    key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    value = holder[key]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match rng.choice(["delete", "double", "junk", "junk", "number", "number", "swap", "deep"]):
        case "delete":
            del holder[key]
        case "double" if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        case "double":
            holder[f"{key}{rng.choice(['2', '', ' '])}"] = copy.deepcopy(value)
        case "number" if is_number:
            factor = rng.choice([-1, 0, 0.5, 2, 1 + 1e-9, 1 + 1e-5, 1e10, 1e-10, 1e290, 1e-290])
            changed = rng.choice([value * factor, value + 1, value - 1, value + 1e-9, int(value)])
            holder[key] = changed
        case "swap":
            other, other_key = rng.choice(locations(document, []))
            holder[key], other[other_key] = other[other_key], copy.deepcopy(value)
        case "deep":
            for _ in range(rng.choice([1, 3, 50])):
                value = [value] if rng.random() < 0.5 else {"mapping": [[0, value]]}
            holder[key] = value
        case _:
            holder[key] = copy.deepcopy(rng.choice(JUNK))


def change_text(text, rng):
    """Return a text with one change, as bytes."""
    content = bytearray(text.encode())
    start = rng.randrange(len(content))
    match rng.choice(["truncate", "flip", "flip", "digit", "digit", "cut", "repeat", "nest"]):
        case "truncate":
            del content[start:]
        case "flip":
            content[start] ^= 1 << rng.randrange(8)
        case "digit":
            digits = [i for i, byte in enumerate(content) if 48 <= byte <= 57]
            content[rng.choice(digits)] = rng.choice(b"0123456789.-e")
        case "cut":
            del content[start : start + rng.randrange(1, 60)]
        case "repeat":
            part = content[start : start + rng.randrange(1, 200)]
            content[start:start] = part * rng.choice([1, 2, 10])
        case "nest":
            content[start:start] = rng.choice([b"[", b'{"a":', b"-", b"1"]) * 50_000
    return bytes(content)


def mutated(text, rng):
    """Return a text with a few changes, as bytes."""
    if rng.random() < 0.3:
        return change_text(text, rng)
    document = json.loads(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change_tree(document, rng)
    return json.dumps(document).encode()
