"""Corpora in one file a target: the length of an input in four bytes, the input, and so on."""

from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "corpora"


def inputs_in(bundle: Path) -> list[bytes]:
    """Read the inputs of a bundle, which need not be there."""
    data, inputs = bundle.read_bytes() if bundle.exists() else b"", []
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        inputs.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return inputs


def write_bundle(bundle: Path, inputs: Iterable[bytes]) -> None:
    """Write inputs, the shortest first, and once each."""
    ordered = sorted(set(inputs), key=lambda one: (len(one), one))
    bundle.write_bytes(b"".join(len(one).to_bytes(4, "little") + one for one in ordered))


def write_inputs(inputs: Iterable[bytes], folder: Path) -> None:
    """Write each input to a file of its own, as libFuzzer wants them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(inputs):
        (folder / f"kept-{number:04}").write_bytes(one)


def unpack(bundle: Path, folder: Path) -> None:
    """Write the inputs of a bundle to files."""
    write_inputs(inputs_in(bundle), folder)
