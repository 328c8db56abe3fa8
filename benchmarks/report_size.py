"""`python benchmarks/report_size.py`: how large a report is, and how long it takes to open.

The runs are generated: ids like those of MS MARCO, four judged documents a query, 100 documents a
ranking, of which half are in the first run too. The time to open is from the start of the
navigation to the first rows of queries in the table; the time to open a query is from the click to
its ranked lists.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import machine
import numpy as np

DEPTH, JUDGED = 100, 4


def write_inputs(folder: Path, queries: int, runs: int) -> tuple[Path, list[Path]]:
    """Write judgments and runs as TREC files."""
    random = np.random.default_rng(0)
    pool = random.integers(0, 8_841_823, (queries, 2 * DEPTH))
    ids = 1_000_000 + np.arange(queries)
    qrels = folder / "qrels.txt"
    with qrels.open("w") as file:
        for query, documents in zip(ids.tolist(), pool[:, : 4 * JUDGED : 4].tolist(), strict=True):
            labels = random.integers(0, 4, JUDGED).tolist()
            file.writelines(
                f"{query} 0 {document} {label}\n"
                for document, label in zip(dict.fromkeys(documents), labels, strict=False)
            )
    paths = []
    for run in range(runs):
        own = random.integers(0, 8_841_823, (queries, DEPTH))
        shared = random.random((queries, DEPTH)) < (1.0 if run == 0 else 0.5)
        documents = np.where(shared, pool[:, :DEPTH], own)
        order = random.random((queries, DEPTH)) * 40 + np.arange(DEPTH)
        documents = np.take_along_axis(documents, order.argsort(axis=1), axis=1)
        path = folder / f"run{run}.run"
        with path.open("w") as file:
            for query, ranked in zip(ids.tolist(), documents.tolist(), strict=True):
                file.writelines(
                    f"{query} Q0 {document} {rank} {DEPTH - rank / 7:.4f} run{run}\n"
                    for rank, document in enumerate(dict.fromkeys(ranked), 1)
                )
        paths.append(path)
    return qrels, paths


def opening(page: Path, times: int) -> dict[str, Any]:
    """Open a page several times in headless Chromium; milliseconds, medians."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if chromium is None:
        return {"opened": None}
    rows, parsed, lists = [], [], []
    with sync_playwright() as playwright:
        for _ in range(times):
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready]")
            rows.append(tab.evaluate("performance.getEntriesByName('rankmark-ready')[0].startTime"))
            parsed.append(
                tab.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
            )
            begin = time.perf_counter()
            tab.locator("#rows a").nth(5).click()
            tab.wait_for_selector(".documents")
            lists.append((time.perf_counter() - begin) * 1000)
            browser.close()
    return {
        "parsed_ms": statistics.median(parsed),
        "rows_ms": statistics.median(rows),
        "query_ms": statistics.median(lists),
    }


def main() -> None:
    """Make a report, and print its size and the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--times", type=int, default=5, help="how often the page is opened")
    parser.add_argument("--keep", type=Path, help="copy the page to this path")
    options = parser.parse_args()
    import rankmark as rm

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, runs = write_inputs(folder, options.queries, options.runs)
        begin = time.perf_counter()
        compared = rm.compare(qrels, [*map(str, runs)])
        _ = compared.differences, compared.leaderboard
        between = time.perf_counter()
        rm.write_report(compared, folder / "report.html")
        end = time.perf_counter()
        page = folder / "report.html"
        found = {
            "queries": options.queries,
            "runs": options.runs,
            "megabytes": round(page.stat().st_size / 1e6, 2),
            "compare_s": round(between - begin, 2),
            "write_s": round(end - between, 2),
            **opening(page, options.times),
        }
        if options.keep:
            shutil.copy(page, options.keep)
    print(json.dumps(found, indent=2))
    print(machine.describe())


if __name__ == "__main__":
    main()
