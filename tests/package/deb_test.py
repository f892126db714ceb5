# SPDX-License-Identifier: Apache-2.0
"""What Debian packages hold and need; the program and the library as they come out of them; lintian, where it is installed.

Usage: deb_test.py FOLDER
Nothing is installed: the packages are unpacked into a folder.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = ["credens", "libcredens-dev", "credens-mpi"]
CONSUMER = Path(__file__).parent / "consumer"
# What lintian says and we leave: packaging/README.md has the reasons.
LEFT = ["bogus-mail-host", "initial-upload-closes-no-bugs", "maintscript-calls-ldconfig"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def check(condition, sentence):
    if not condition:
        sys.exit(sentence)


def check_fields(packages):
    depends = {name: field(package, "Depends") for name, package in packages.items()}
    for library in ("libboost-iostreams1.74.0", "libfmt9", "libhwy1", "libzstd1", "libc6 ", "libstdc++6 "):
        check(library in depends["credens"], f"credens does not depend on {library}: {depends['credens']}")
    check("mpi" not in depends["credens"], f"credens depends on MPI: {depends['credens']}")
    check("libhwy-dev" in depends["libcredens-dev"], f"libcredens-dev depends on {depends['libcredens-dev']}")
    if "credens-mpi" in depends:
        check(re.search(r"libopenmpi\d", depends["credens-mpi"]), f"credens-mpi depends on {depends['credens-mpi']}")


def check_program(root):
    program = root / "usr/bin/credens"
    version = run(program, "version")
    check(version.startswith("credens "), version)
    (root / "train.csv").write_text("a,y\n" + "".join(f"{i / 20},{i * i / 400}\n" for i in range(60)))
    run(program, "fit", "train.csv", "--target", "y", "--members", "2", "--epochs", "2", "-o", "model.safetensors", cwd=root)
    for file in ("man/man1/credens-fit.1.gz", "bash-completion/completions/credens", "zsh/vendor-completions/_credens",
                 "fish/vendor_completions.d/credens.fish", "doc/credens/copyright", "doc/credens/changelog.Debian.gz"):
        check((root / "usr/share" / file).exists(), f"no {file} in the package credens")


def check_library(root, folder):
    """A user's program, by pkg-config and by CMake. The compiler needs what Depends names, which is installed."""
    (pc_file,) = root.glob("usr/lib/*/pkgconfig/credens.pc")
    environment = os.environ | {"PKG_CONFIG_PATH": str(pc_file.parent)}
    flags = run("pkg-config", "--cflags", "--libs", "credens", env=environment).split()
    run("c++", "-std=c++20", CONSUMER / "main.cpp", "-o", folder / "by_pkg_config", *flags)
    run(folder / "by_pkg_config", folder / "model.safetensors")
    run("cmake", "-S", CONSUMER, "-B", folder / "consumer", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={root / 'usr'}")
    run("cmake", "--build", folder / "consumer")
    run(folder / "consumer/consumer", folder / "model.safetensors")


def check_policy(packages):
    if not shutil.which("lintian"):
        print("-- lintian is not installed: Debian's policy is not checked")
        return
    done = subprocess.run(["lintian", "--allow-root", "--tag-display-limit", "0", *packages.values()], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    found = [line for line in lines if re.match(r"[EW]: ", line) and not any(tag in line for tag in LEFT)]
    print("\n".join(lines))
    check(not found, "lintian found errors or warnings")


def main(folder):
    packages = {file.name.split("_")[0]: file for file in sorted(Path(folder).resolve().glob("*.deb"))}
    check({"credens", "libcredens-dev"} <= set(packages) <= set(PACKAGES), f"found the packages {sorted(packages)}")
    check(list(Path(folder).glob("credens-*.tar.gz")), "there is no archive")
    check_fields(packages)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for package in packages.values():
            run("dpkg-deb", "--extract", package, scratch / "root")
        check_program(scratch / "root")
        check_library(scratch / "root", scratch)
    check_policy(packages)
    for name, package in packages.items():
        print(f"-- {package.name}: {package.stat().st_size / 2**20:.1f} MB, {field(package, 'Installed-Size')} kB installed")


if __name__ == "__main__":
    main(*sys.argv[1:])
