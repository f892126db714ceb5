# SPDX-License-Identifier: Apache-2.0
"""Writes the stored corpus: small inputs from which the fuzz targets start.

Usage: make_corpus.py PROGRAM. What was found by fuzzing is in the folder finds.
"""

import gzip
import json
import lzma
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
REFERENCE = HERE.parent / "reference" / "formats" / "v1.safetensors"

TABLES = {
    "plain": b"\x00a,b,y\n1,2,3\n4.5,-6e3,+7\n0,1e-300,.5\n",
    "semicolon": b"\x00a;b;y\r\n1;2,5;3\r\n4;5;6\r\n",
    "blanks": b"\x00  1   2  3 \n 4 5     6\n",
    "tab": b"\x07a\tb\n1\t2\n\t3\n",
    "quoted": b'\x00\xef\xbb\xbf"a, b","c ""d"""\n"1","2"\n3,"4"\n',
    "no-header": b"\x011,2\n3,4\n",
    "faults": b"\x00a,b\n1,x\n,nan\ninf,3\n",
    "ragged": b"\x00a,b\n1,2\n3\n",
    "given-comma": b"\x05a,b\n1,2",
    "words": b'\x00x,colour,when,y\n1,red,2024-01-03,1\n,"a, ""b""",NA,2\n3,none,2024-02-29,\n',
    "times": b"\x00when,y\n2024-01-03T08:30:00Z,1\n2024-05-17 08:30:00.25+02:00,2\n2024-02-31,3\n",
    "zones": b"\x00when,y\n2024-01-03T08:30Z,1\n2024-01-03T08:30,2\n",
    "latin1": b"\x00name,y\nM\xfcller,1\nB\xe4r,2\n",
    "encodings": b"\x00name,y\nM\xc3\xbcller,1\nB\xe4r,2\n",
    "units": b"\x00length [mm];force (kN)\nmm;kN\n1,5;2\n3;4,5\n",
    "day": b"\x002024-05-17T08:30:00",
    "leap-second": b"\x002016-12-31T23:59:60Z",
    "first-day": b"\x000001-01-01T00:00:00.000001-23:59",
    "midnight": b"\x009999-12-31 24:00",
    "odd-dates": b"\x00when,y\n2024-02-29,1\n2023-02-29,2\n2024-05-17t08:30z,3\n2024-05-17T08:30:15.123456789+0530,4\n-2024-05-17,5\n",
    "years": b"\x00when,y\n2020-12-24,1\n2021-12-24,2\n2024-12-24,3\n1900-02-28,4\n2100-02-28,5\n",
    "foreign-dates": b"\x00when,y\n17.5.2024,1\n5/17/24 8:30 pm,2\n2024-W20-5,3\n12:30,4\n",
    "measures": b"\x00x,y\n1,12 %\n2,$1234.50\n3,1 234\n4,n.d.\n5,12:30\n6,12 mm\n",
    "labels": b"\x00x,kind\n1,high\n2,High\n3, high \n4,\n5,NA\n6,yes\n7,1\n8,1.0\n",
    "long-words": b'\x00x,kind\n1,"two\nlines"\n2,"a ""quoted"" word"\n3,' + b"w" * 300 + b"\n4,\xe2\x82\xac\xcc\x81\n",
    "nul": b"\x00x,kind\n1,a\x00b\n2,c\n",
    "counts": b"\x00x,a,b,c\n1,0,3,2\n2,1e300,1e300,0\n3,0,0,0\n4,-1,1,\n",
    "groups": b"\x00who,when,x,y\np1,2024-01-01,1,2\np1,2024-01-02,,3\n,2024-01-02,3,4\n7,2024-01-03,3,4\n",
    "long-number": b"\x00a\n" + b"1" * 400 + b"\n0." + b"3" * 400 + b"\n",
}

CONFIGS = {
    "columns": 'target = "y"\ninputs = ["a", "b, c"]\nweight = "w"\nheader = "yes"\ndelimiter = ";"\n',
    "training": 'recipe = "paper"\nmembers = 5\nepochs = 40\nbatch = 16\nlearning_rate = 1e-3\nschedule = "constant"\nseed = 18\n',
    "networks": 'hidden = [[64, 32], [16]]\nactivation = ["relu", "gelu"]\nnoise = "per-output"\nembedding = [0.5, 1.0]\n',
    "posterior": 'lambda = 0.5\nposterior = "full"\nrandom_bias = true\nvalidation = 0.1\npatience = 3\nnoise-std = "s"\n',
    "table": '[section]\nkey = 1\n[[list]]\nx = 1979-05-27T07:32:00Z\n',
    "text": 'target = """\na\nb"""\nignore = \'c\'  # why\nthreads = 0x10\nepochs = 1_000\n',
}

LINES = {
    "numbers": b"\x001,-2.5,+3e-7,.5,1e400,0x1p3,nan,1234567.1234567",
    "commas": b"\x051,5;-2,25;1.234,5;NA",
    "names": b'\x00length [mm],force (kN),"a ""b""",x[0],f(x),sales (2020)',
    "days": b"\x022024-05-17\t2024-02-31\t2024-05-17T08:30:00.25+02:00\t17.5.2024",
    "blanks": b"\x03  mm  %  m/s^2   -\n8:30  1;2",
}

JSONS = {
    "values": b'{"a": [1, -2, 3.5e-8, true, null], "b": {"c": "\\u00e9\\ud83d\\ude00"}}',
    "deep": b"[[[[1]]]]",
    "too-deep": b"[[[[[1]]]]]",
    "twice": b'{"a": 1, "a": 2}',
}

TEXTS = {
    "controls": "a\x1b[2J\x07\x7f\x85\u202eb\u2066c\u061cd".encode(),
    "no-utf8": b"a\xffb\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80",
    "json": '{"a\u202e": ["\x7f", "\u0085"],\n\t"b": 1}'.encode(),
    "name": b"memebrs",
}

FITS = {
    "isotropic": ["--hidden", "2"],
    "diagonal": ["--hidden", "2", "--posterior", "diagonal", "--noise", "constant"],
    "full": ["--hidden", "2,2", "--posterior", "full", "--random-bias", "--activation", "silu"],
    "delta": ["--hidden", "none", "--posterior", "delta"],
    "embedded": ["--hidden", "1", "--embedding", "0.5", "--frequencies", "1", "--asinh-inputs"],
}


MIXED = "x,colour,when,kind,y,day\n" + "".join(
    f"{'' if i % 5 == 0 else i / 3},{['red', 'blue', 'green'][i % 3]},2024-0{1 + i % 9}-03,{['low', 'high', 'none at all'][i * i % 3]},{i % 4},"
    f"{2015 + i}-12-2{4 + i % 2}\n"
    for i in range(24)
)
MIXED_FITS = {
    "words": ["--target", "y", "--ignore", "kind,day", "--hidden", "2"],
    "classes": ["--target", "kind", "--ignore", "y,day", "--hidden", "2"],
    "classes-diagonal": ["--target", "kind", "--inputs", "x", "--hidden", "none", "--posterior", "diagonal"],
    "classes-full": ["--target", "kind", "--inputs", "x,colour,when", "--hidden", "2", "--posterior", "full", "--random-bias"],
    "classes-given": ["--target", "kind", "--inputs", "x", "--classes", "low,high,none at all,never", "--hidden", "none"],
    "numbers-as-classes": ["--target", "y", "--task", "classification", "--inputs", "x,when", "--hidden", "2"],
    "counts": ["--counts", "x,y", "--inputs", "colour", "--hidden", "2", "--missing", "blue"],
    "years": ["--target", "y", "--inputs", "day,x", "--hidden", "2"],
}
# Fits that hold rows out, and so say what new rows may expect; beside the tensors of which fit their document belongs.
JUDGED_FITS = {
    "expected": (["--target", "y", "--ignore", "kind,day", "--hidden", "2"], "words"),
    "expected-classes": (["--target", "kind", "--ignore", "y,day", "--hidden", "2"], "classes"),
}


def put(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def npy(shape, values, code="<f8", fortran="False", version=1):
    header = f"{{'descr': '{code}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    length = "<H" if version == 1 else "<I"
    header += " " * (-(len(header) + 9 + struct.calcsize(length)) % 16) + "\n"
    letter = {"f8": "d", "f4": "f", "i4": "i", "u1": "B", "b1": "?"}[code[1:]]
    return (b"\x93NUMPY" + bytes([version, 0]) + struct.pack(length, len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{letter}", *values))


def put_arrays():
    put("npy", "f8", npy("(2, 3)", [1.0, 2.0, 3.0, 4.0, 5.0, float("nan")]))
    put("npy", "fortran", npy("(3, 2)", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], fortran="True"))
    put("npy", "f4-vector", npy("(4,)", [1.0, 2.0, 3.0, 4.0], "<f4", version=2))
    put("npy", "i4", npy("(2, 1)", [1, -2], "<i4", version=3))
    put("npy", "u1", npy("(3,)", [0, 1, 255], "|u1"))
    put("npy", "b1", npy("(2, 2)", [True, False, True, True], "|b1"))
    put("npy", "cube", npy("(1, 2, 1)", [1.0, 2.0]))
    put("npy", "empty", npy("(0, 4)", []))


def put_folder(name, files):
    """In the order in which the target takes them."""
    order = ["outputs.json", "mean.npy", "variance.npy", "features.npy", "targets.npy", "weights.npy", "row_weights.npy",
             "features.0.npy", "features.1.npy", "logits.npy"]
    content = [struct.pack("<H", len(files[file])) + files[file] if file in files else b"\xff\xff" for file in order]
    put("outputs", name, b"".join(content))


def put_folders():
    small = {"outputs.json": b'{"lambda": 1}', "mean.npy": npy("(2, 2, 1)", [1.0, 2.0, 3.0, 4.0]),
             "variance.npy": npy("(2, 2, 1)", [1.0, 1.0, 0.5, 2.0])}
    together = {**small, "features.npy": npy("(2, 2, 1)", [0.5, 1.0, 1.5, 2.0], "<f4")}
    put_folder("together", together)
    put_folder("apart", {**small, "features.0.npy": npy("(2, 1)", [1.0, 2.0]), "features.1.npy": npy("(2, 2)", [1.0, 2.0, 3.0, 4.0])})
    about = {"lambda": 0.5, "target_scale": [2.0], "target_shift": [1.0], "target_names": ["y"], "member_weights": [0.25, 0.75]}
    put_folder("whole", {**together, "outputs.json": json.dumps(about).encode(), "targets.npy": npy("(2, 1)", [1.0, 2.0]),
                         "weights.npy": npy("(2, 1, 1)", [1.0, 2.0]), "row_weights.npy": npy("(2,)", [1.0, 2.0])})
    put_folder("fortran", {**together, "mean.npy": npy("(2, 2, 1)", [1.0, 2.0, 3.0, 4.0], fortran="True")})
    classes = {"outputs.json": b'{"lambda": 1, "likelihood": "softmax"}', "features.npy": together["features.npy"],
               "logits.npy": npy("(2, 2, 3)", [float(i % 5) for i in range(12)])}
    put_folder("classes", {**classes, "targets.npy": npy("(2,)", [2, 0], "<i4")})
    about = {"lambda": 1, "likelihood": "softmax", "classes": ["3", "5", "8"], "class_type": "number"}
    put_folder("counts", {**classes, "outputs.json": json.dumps(about).encode(), "row_weights.npy": npy("(2,)", [1.0, 0.0]),
                          "targets.npy": npy("(2, 3)", [0.0, 1.0, 3.0, 0.5, 0.25, 0.25])})


def put_archives():
    table = TABLES["plain"][1:]
    put("archive", "gzip", gzip.compress(table, mtime=0) * 2)
    put("archive", "xz", lzma.compress(table))
    # A frame of one raw block, by hand: Python has no zstd.
    put("archive", "zstd", b"\x28\xb5\x2f\xfd\x20" + bytes([len(table)]) + struct.pack("<I", len(table) << 3 | 1)[:3] + table)


def document_of(model):
    size = struct.unpack("<Q", model[:8])[0]
    return json.loads(model[8:8 + size])["__metadata__"]["credens"]


def put_models(program, folder):
    put("model", "v1", REFERENCE.read_bytes())
    put("document", "v1", document_of(REFERENCE.read_bytes()))
    (Path(folder) / "train.csv").write_text("a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(12)))
    (Path(folder) / "mixed.csv").write_text(MIXED)
    fits = {name: ["train.csv", "--target", "y", *options] for name, options in FITS.items()}
    fits |= {name: ["mixed.csv", *options] for name, options in MIXED_FITS.items()}
    for name, options in fits.items():
        subprocess.run([program, "fit", *options, "--recipe", "paper", "--members", "1", "--epochs", "1", "-o", name],
                       cwd=folder, check=True, capture_output=True)
        model = (Path(folder) / name).read_bytes()
        put("model", name, model)
        put("document", name, document_of(model))
    for name, (options, like) in JUDGED_FITS.items():
        subprocess.run([program, "fit", "mixed.csv", *options, "--effort", "quick", "--members", "6", "--epochs", "1", "-o", name],
                       cwd=folder, check=True, capture_output=True)
        model = (Path(folder) / name).read_bytes()
        put("model", name, model)
        expected = json.loads(document_of(model))["expected"]
        put("document", name, json.dumps({**json.loads((CORPUS / "document" / like).read_text()), "expected": expected}))
    (Path(folder) / "words.csv").write_bytes(TABLES["words"][1:])
    subprocess.run([program, "pack", "words.csv", "-o", "words.npy"], cwd=folder, check=True, capture_output=True)
    put("npy", "words", (Path(folder) / "words.npy").read_bytes())
    subprocess.run([program, "outputs", "full", "train.csv", "-o", "arrays"], cwd=folder, check=True, capture_output=True)
    subprocess.run([program, "widen", "--outputs", "arrays", "-o", "foreign"], cwd=folder, check=True, capture_output=True)
    put("model", "foreign", (Path(folder) / "foreign").read_bytes())


def main(program):
    shutil.rmtree(CORPUS, ignore_errors=True)
    for name, content in TABLES.items():
        put("csv", name, content)
    for name, content in CONFIGS.items():
        put("config", name, content)
    for target, inputs in (("line", LINES), ("json", JSONS), ("text", TEXTS)):
        for name, content in inputs.items():
            put(target, name, content)
    put_arrays()
    put_folders()
    with tempfile.TemporaryDirectory() as folder:
        put_archives()
        put_models(Path(program).resolve(), folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
