"""Cases without end for the readers of foreign bytes: `python -m tests.fuzzing.fuzz`.

`--cases` of each reader (or of `--reader`), from number `--first` on: a run that was broken off
goes on where it was. What a reader stumbles over is kept in the corpus, which the suite reads.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
import traceback
from pathlib import Path
from typing import Final

from tests.fuzzing.mutations import case_bytes
from tests.fuzzing.readers import Reader, readers

CORPUS: Final = Path(__file__).parent / "corpus"
SLOW_SECONDS: Final = 2.0  # of processor time, for one case: 60 KB at most


def stumble(reader: Reader, data: bytes) -> str:
    """What is wrong with how `reader` takes `data`; "" where it reads or refuses it in time."""
    began = time.process_time()
    try:
        reader.read(data)
    except reader.refusals:
        pass
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {place.name}, line {place.lineno}"
    spent = time.process_time() - began
    return f"{spent:.1f} s for {len(data)} bytes" if spent > SLOW_SECONDS else ""


def run_cases(name: str, first: int, count: int) -> dict[str, bytes]:
    """The first case of each fault that `count` cases of that reader show."""
    reader = readers()[name]
    faults: dict[str, bytes] = {}
    for number in range(first, first + count):
        data = case_bytes(name, number, reader.samples)
        if wrong := stumble(reader, data):
            faults.setdefault(wrong, data)
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--reader", choices=sorted(readers()))
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    failed = 0
    for name in [args.reader] if args.reader else sorted(readers()):
        began = time.process_time()
        faults = run_cases(name, args.first, args.cases)
        spent = time.process_time() - began
        print(f"{name}: {args.cases} cases from {args.first}, {spent:.0f} s, {len(faults)} faults")
        for wrong, data in faults.items():
            file = CORPUS / name.replace(" ", "_") / hashlib.sha256(data).hexdigest()[:12]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            print(f"  {wrong} ({file.name})", flush=True)
        failed += len(faults)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
