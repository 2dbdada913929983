"""A suite with few deals, for tests of what is measured by it."""

import json
import shutil
from pathlib import Path

from tests.helpers import ROOT
from train.common.suite import LATEST, sha256

DEALS = 4


def small_suite(folder: Path) -> Path:
    """Copy the suite to a folder of suites, with :data:`DEALS` deals on every track, few rule sets and no scores."""
    copied = folder / LATEST
    shutil.copytree(ROOT / "benchmark" / LATEST, copied, ignore=shutil.ignore_patterns("scores"))
    manifest = json.loads((copied / "manifest.json").read_text())
    for name in manifest["tracks"]:
        file = copied / "tracks" / f"{name}.json"
        values = json.loads(file.read_text())
        values["deals"] = DEALS
        values["tables"] = {score: table[:2] for score, table in values["tables"].items()}
        file.write_text(json.dumps(values))
        manifest["tracks"][name] = sha256(file.read_bytes())
    (copied / "manifest.json").write_text(json.dumps(manifest))
    return copied
