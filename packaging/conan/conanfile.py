# SPDX-License-Identifier: Apache-2.0
"""Conan 2: `conan create packaging/conan`, program and library. packaging/README.md says what was tried."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get

RANDOM123 = "1.14.0"  # Conan Center has no recipe of it


class Credens(ConanFile):
    name = "credens"
    version = "0.1.0"
    description = "Regression and classification with deep ensembles that separate noise from ignorance"
    license = "Apache-2.0"
    topics = ("deep ensembles", "uncertainty", "regression", "classification")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "packaging/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Credens runs on Linux")

    def requirements(self):
        self.requires("boost/1.83.0", options={"zstd": True, "lzma": True})
        self.requires("eigen/3.4.0")
        self.requires("fast_float/6.1.0")
        self.requires("fmt/10.2.1")
        self.requires("highway/1.0.7")
        self.requires("nlohmann_json/3.11.3")
        self.requires("tomlplusplus/3.4.0")
        self.requires("xxhash/0.8.2")
        self.requires("zstd/1.5.5")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        get(self, f"https://github.com/DEShawResearch/random123/archive/refs/tags/v{RANDOM123}.tar.gz", strip_root=True, destination="random123")
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BUILD_TESTING"] = False
        toolchain.cache_variables["CREDENS_MPI"] = False
        toolchain.cache_variables["CMAKE_CXX_FLAGS"] = f"-I{os.path.join(self.generators_folder, 'random123', 'include')}"
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["credens"]
        self.cpp_info.system_libs = ["pthread", "dl"]
        self.cpp_info.set_property("cmake_file_name", "credens")
        self.cpp_info.set_property("cmake_target_name", "credens::credens")
        self.cpp_info.set_property("pkg_config_name", "credens")
