"""Runs many inputs through the parsers, each with a limit of time and memory; keeps what was found.

    python benchmarks/robustness/fuzz_parsers.py --inputs 1000000 --out findings/
    python benchmarks/robustness/fuzz_parsers.py url html --minutes 5
    python benchmarks/robustness/fuzz_parsers.py url --guided --minutes 5      # needs atheris: guided by coverage

A finding is an exception that is no error of ours, a broken promise (see targets.py), the end of the process, or an input over
its time or memory. It is saved with its trace; what is mended becomes a named test. Exit code 3 where something was found.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import multiprocessing
import resource
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "helpers"))
from fuzz_targets import TARGETS, made

_MEMORY = 3 * 1024**3  # bytes of address space
# Shares of the inputs: a PDF costs a thousand URLs.
_SHARES = {"url": 30, "robots": 12, "nlptext": 8, "marks": 14, "listing": 14, "links": 6, "warc": 6, "archive": 4, "pack": 2, "html": 1.5, "docx": 1.2, "pdf": 0.4, "segmentation": 0.3, "labels": 0.2}  # fmt: skip


def _serve(name: str, start: int, end: int, seed: int, place: object, findings: object) -> None:
    """The child: input by input; its place is where the parent looks when it falls silent."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    target = TARGETS[name]
    for number in range(start, end):
        content = made(name, number, seed)
        place.value = number
        try:
            target.run(content)
        except Exception:
            findings.put((number, traceback.format_exc()))
    place.value = end


def run(name: str, inputs: int, seed: int, out: Path, minutes: float | None = None) -> tuple[int, int, float]:
    """Runs a target; gives (inputs, findings, longest seconds without one done)."""
    fork = multiprocessing.get_context("fork")
    deadline = None if minutes is None else time.monotonic() + minutes * 60
    made(name, 0, seed)  # the seeds are made once, before the limits
    start, found, longest = 0, 0, 0.0
    while start < inputs:
        place, findings = fork.Value("q", start), fork.SimpleQueue()
        child = fork.Process(target=_serve, args=(name, start, inputs, seed, place, findings))
        child.start()
        last, since, reason = start, time.monotonic(), None
        while child.is_alive():
            child.join(0.05)
            now = time.monotonic()
            while not findings.empty():
                number, trace = findings.get()
                found += _keep(out, name, number, seed, trace)
            if place.value != last:
                last, since = place.value, now
            longest = max(longest, now - since)
            if now - since > TARGETS[name].seconds:
                reason = f"longer than {TARGETS[name].seconds} s"
                child.kill()
                child.join()
            if deadline is not None and now > deadline:
                child.kill()
                child.join()
                return place.value, found, longest
        while not findings.empty():
            number, trace = findings.get()
            found += _keep(out, name, number, seed, trace)
        if place.value >= inputs:
            break
        found += _keep(out, name, place.value, seed, reason or f"the process ended with {child.exitcode}")
        start = place.value + 1
    return inputs, found, longest


def _keep(out: Path, name: str, number: int, seed: int, trace: str) -> int:
    """Saves a finding; 0 where its last line is known."""
    kind = (
        trace.strip().split("\n")[-1][:60] + "".join(line for line in trace.split("\n") if "corpuskit/" in line)[-90:]
    )
    digest = hashlib.sha256(kind.encode("utf-8", "replace")).hexdigest()[:8]
    file = out / f"{name}-{digest}"
    if file.with_suffix(".txt").exists():
        return 0
    out.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".bin").write_bytes(made(name, number, seed))
    file.with_suffix(".txt").write_text(f"{name} {number} seed {seed}\n{trace}\n", "utf-8", errors="replace")
    print(f"  {name} {number}: {trace.strip().splitlines()[-1][:150]}", flush=True)
    return 1


def guided(name: str, minutes: float, out: Path) -> None:
    """A run guided by coverage; ends the process. Seeds are those of the target."""
    import atheris

    seeds = out / f"{name}-seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(TARGETS[name].seeds()):
        (seeds / str(number)).write_bytes(seed)
    atheris.instrument_all()
    options = [f"-max_total_time={int(minutes * 60)}", f"-timeout={int(TARGETS[name].seconds)}", "-rss_limit_mb=3000"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={out}/{name}-", str(seeds)], TARGETS[name].run)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help=f"of: {', '.join(TARGETS)}; default: all")
    parser.add_argument("--inputs", type=int, default=100_000, help="in all, shared among the targets by their cost")
    parser.add_argument("--minutes", type=float, help="at most so long a target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--guided", action="store_true", help="by coverage, with atheris")
    options = parser.parse_args()
    names = options.targets or list(TARGETS)
    if options.guided:
        guided(names[0], options.minutes or 1, options.out)
    shares = sum(_SHARES[name] for name in names)
    total = failed = 0
    for name in names:
        began = time.monotonic()
        count, found, longest = run(
            name, round(options.inputs * _SHARES[name] / shares), options.seed, options.out, options.minutes
        )
        total, failed = total + count, failed + found
        seconds = time.monotonic() - began
        print(f"{name:13} {count:9,} inputs {seconds:7.0f} s  {count / seconds:8,.0f} /s  longest {longest:5.2f} s  findings {found}", flush=True)  # fmt: skip
    print(f"{total:,} inputs, {failed} findings")
    return 3 if failed else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
