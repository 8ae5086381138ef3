#!/usr/bin/env python3
"""Holds the includes of src/ and include/ to the ranks of their folders.

A folder may include only folders of a lower rank, never a sibling; an adapter never includes another
adapter; a third-party library is included only where it belongs; and a public header, one below
include/tanggul/, knows public headers alone: its folder is the one of the same name in src/. Prints
each breach as file:line and ends with status 1.
"""

import argparse
import pathlib
import re
import sys

RANKS = {
    "base": 0,
    "async": 1, "http": 1, "process": 1,
    "policy": 2, "ports": 2,
    "cache": 3, "flight": 3, "registry": 3, "readers": 3,
    "shield": 4, "sync": 4, "rollout": 4, "adapters": 4,
    "simulate": 5,
    "app": 6,
}

# Rooms within a folder of many: none knows another, but for these.
ROOMS = {"cache/disk": {"cache"}, "readers/metadata": set(),
         "app/client": {"app/config", "app/terminal"}, "app/config": set(), "app/service": {"app/config"},
         "app/catalog": {"app/terminal"},
         "app/sync": {"app/catalog", "app/config", "app/terminal"}, "app/terminal": set()}

# Narrower than the rank allows: pure decisions wait for nothing and talk to nobody.
ONLY = {"policy": {"base", "http"}}

# Where a library may be included, by the beginning of the header's path; tests too.
OWNERS = {
    "curl/": {"adapters/curl"},
    "boost/beast": {"adapters/beast"},
    "prometheus/": {"adapters/prometheus"},
    "yaml-cpp/": {"app/config", "readers/metadata"},
    "CLI/": {"app", "app/sync"},
    "hiredis/": {"adapters/redis"},
    "sqlite3.h": {"adapters/sqlite"},
    "libpq-fe.h": {"adapters/postgres"},
    "md4c": {"readers"},
    "cmark-gfm": {"readers"},
}

GENERATED = {"app/version.h"}

PUBLIC = "tanggul/"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path: str) -> str:
    """The folder that has a rank: the first part; for an adapter and a room its own name too."""
    parts = path.split("/")
    room = "/".join(parts[:2])
    if len(parts) > 2 and (parts[0] == "adapters" or room in ROOMS):
        return room
    return parts[0]


def breach_of_rank(owner: str, target: str) -> str | None:
    top, to = owner.split("/")[0], target.split("/")[0]
    if owner == target:
        return None
    if top == to == "adapters":
        return "an adapter never includes another"
    if owner in ROOMS and top == to:
        return None if target in ROOMS[owner] else f"{owner} may not know {target}"
    if top == to:
        return None  # the hall of a folder knows its rooms
    if top in ONLY and to not in ONLY[top]:
        return f"{top} may include {' and '.join(sorted(ONLY[top]))} alone"
    if RANKS[to] >= RANKS[top]:
        return f"{top} has rank {RANKS[top]} and {to} rank {RANKS[to]}"
    return None


def breaches(root: pathlib.Path):
    for path in sorted(root.rglob("*")):
        if path.suffix not in {".h", ".cpp"}:
            continue
        name = path.relative_to(root).as_posix()
        owner = owner_of(name)
        if folder_of(name.removeprefix(PUBLIC)).split("/")[0] not in RANKS:
            yield f"{root.name}/{name}:1: the folder {owner} has no rank"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            found = INCLUDE.match(line)
            if found is None:
                continue
            header = found.group(2)
            why = breach(owner, header)
            if why is not None:
                yield f"{root.name}/{name}:{number}: includes {header}: {why}"


def owner_of(name: str) -> str:
    """The folder of a file; of a public header the same, marked as public."""
    folder = folder_of(name.removeprefix(PUBLIC))
    return PUBLIC + folder if name.startswith(PUBLIC) else folder


def breach(owner: str, header: str) -> str | None:
    if header in GENERATED:
        return None
    is_public = header.startswith(PUBLIC)
    header = header.removeprefix(PUBLIC)
    if owner.startswith(PUBLIC):
        owner = owner.removeprefix(PUBLIC)
        if not is_public and header.split("/")[0] in RANKS and "/" in header:
            return "a public header includes public headers alone"
    if header.split("/")[0] in RANKS and "/" in header:
        return breach_of_rank(owner, folder_of(header))
    for beginning, owners in OWNERS.items():
        if not header.startswith(beginning) or owner in owners:
            continue
        return f"only {' and '.join(sorted(owners))} may"
    return None


def self_test() -> list[str]:
    """The rules themselves, by example: (file, header, whether it is allowed)."""
    cases = [
        ("base/a.h", "base/b.h", True), ("base/a.h", "http/date.h", False),
        ("http/a.h", "async/task.h", False), ("policy/a.h", "http/date.h", True),
        ("policy/a.h", "async/task.h", False), ("policy/a.h", "ports/origin.h", False),
        ("cache/a.h", "registry/kind.h", False), ("shield/a.h", "cache/spool.h", True),
        ("shield/a.h", "adapters/curl/a.h", False), ("shield/a.h", "sync/a.h", False),
        ("adapters/curl/a.h", "adapters/beast/b.h", False),
        ("adapters/curl/a.h", "adapters/curl/b.h", True),
        ("adapters/curl/a.h", "ports/origin.h", True), ("app/a.h", "adapters/curl/a.h", True),
        ("adapters/curl/a.cpp", "curl/curl.h", True), ("app/a.cpp", "curl/curl.h", False),
        ("app/client/a.h", "app/config/b.h", True), ("app/client/a.h", "app/service/b.h", False),
        ("app/config/a.h", "app/client/b.h", False), ("app/service/a.h", "app/command_line.h", False),
        ("app/a.cpp", "app/service/b.h", True), ("app/service/a.cpp", "app/version.h", True),
        ("app/client/a.h", "app/client/b.h", True), ("app/client/a.h", "adapters/curl/a.h", True),
        ("app/config/a.cpp", "yaml-cpp/yaml.h", True), ("app/client/a.cpp", "yaml-cpp/yaml.h", False),
        ("shield/a.cpp", "boost/beast/core.hpp", False), ("app/a.cpp", "CLI/CLI.hpp", True),
        ("async/a.cpp", "boost/asio/impl/src.hpp", True), ("http/a.cpp", "string", True),
        ("shield/a.cpp", "tanggul/policy/b.h", True), ("http/a.cpp", "tanggul/policy/b.h", False),
        ("tanggul/policy/a.h", "tanggul/http/b.h", True), ("tanggul/policy/a.h", "base/b.h", False),
        ("tanggul/policy/a.h", "tanggul/flight/b.h", False), ("tanggul/base/a.h", "chrono", True),
    ]
    return [f"self test: {name} including {header} should be {'allowed' if ok else 'refused'}"
            for name, header, ok in cases
            if (breach(owner_of(name), header) is None) != ok]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    roots = [root / "src", root / "include"]
    for folder in roots:
        if not folder.is_dir():
            print(f"{folder} is no folder", file=sys.stderr)
            return 2
    found = self_test() + [line for folder in roots for line in breaches(folder)]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
