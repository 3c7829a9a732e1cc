"""Reads archives with Python's zipfile and Info-ZIP's unzip and reports where they disagree with this service.

Input: for each archive a line of JSON {"id", "bytes" (its length), "files": {path: sha256}, "folders": [path],
"hasUnicodePath"}, and the archive's bytes. Output: a line of JSON {"id", "disagreement"} for each disagreement,
and at the end {"compared": [with zipfile, with unzip]}.
"""
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import zipfile

UNZIP = shutil.which('unzip')
ENVIRONMENT = {'LC_ALL': 'C.UTF-8', 'PATH': os.environ['PATH']}


def run_unzip(option, path):
    return subprocess.run(
        [UNZIP, option, path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )


def path_of(info):
    """The path by the rules of packages: unmarked names in UTF-8, without a leading ./, in NFC."""
    name = info.filename
    if not info.flag_bits & 0x800:
        try:
            name = name.encode('cp437').decode('utf-8')
        except UnicodeError:
            pass
    return unicodedata.normalize('NFC', name).removeprefix('./')


def with_zipfile(archive, expected):
    files, folders, contents = {}, [], []
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for info in opened.infolist():
            name = path_of(info)
            content = opened.read(info)
            contents.append(content)
            if info.filename.endswith('/'):
                folders.append(name)
            else:
                files[name] = hashlib.sha256(content).hexdigest()
    if expected['hasUnicodePath']:
        # This reader may not support the field, and then uses the header's name.
        same = sorted(files.values()) == sorted(expected['files'].values())
    else:
        same = files == expected['files'] and sorted(folders) == sorted(expected['folders'])
    return (None if same else f'zipfile sees {files} {folders}'), b''.join(contents)


def with_unzip(path, contents, expected):
    listed = run_unzip('-Z1', path)
    names = sorted(each.removeprefix('./') for each in listed.stdout.decode('utf-8', 'replace').splitlines())
    paths = sorted([*expected['files'], *expected['folders']])
    if not paths:
        return None
    if all(each.isascii() for each in paths) and names != paths:
        return f'unzip lists {names} {listed.stderr[:200]}'
    printed = run_unzip('-p', path)
    if expected['hasUnicodePath'] and b'overlapped components' in printed.stderr:
        # unzip 6.00 mistakes a name that is only in a Unicode path field for a wrong length, and stops early.
        return None if contents.startswith(printed.stdout) else 'unzip prints something else before it stops'
    if printed.stdout != contents:
        return f'unzip prints {len(printed.stdout)} bytes, zipfile {len(contents)}: {printed.stderr[:300]}'
    return None if printed.returncode <= 1 else f'unzip ends with {printed.returncode}: {printed.stderr[:300]}'


def main():
    compared = [0, 0]
    folder = tempfile.mkdtemp(dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
    path = os.path.join(folder, 'a.zip')
    while line := sys.stdin.buffer.readline():
        expected = json.loads(line)
        archive = sys.stdin.buffer.read(expected['bytes'])
        try:
            disagreement, contents = with_zipfile(archive, expected)
            compared[0] += 1
            if disagreement is None and UNZIP:
                with open(path, 'wb') as file:
                    file.write(archive)
                disagreement = with_unzip(path, contents, expected)
                compared[1] += 1
        except Exception as error:  # a refusal by another reader is a disagreement too
            disagreement = f'{type(error).__name__}: {error}'
        if disagreement is not None:
            print(json.dumps({'id': expected['id'], 'disagreement': disagreement}))
    shutil.rmtree(folder)
    print(json.dumps({'compared': compared}))


main()
