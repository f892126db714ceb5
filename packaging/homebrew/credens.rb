# Homebrew on Linux: brew install --build-from-source packaging/homebrew/credens.rb. packaging/README.md says what was tried.
class Credens < Formula
  desc "Predict from tables and say how far to trust each prediction"
  license "Apache-2.0"
  # In a tap: url and sha256 of the release's archive.
  url "file://#{File.expand_path("../..", __dir__)}/build/credens-0.1.0.tar.gz"

  depends_on "cmake" => :build
  depends_on "eigen" => :build
  depends_on "fast_float" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "tomlplusplus" => :build
  depends_on "xxhash" => :build
  depends_on "boost"
  depends_on "fmt"
  depends_on "highway"
  depends_on :linux
  depends_on "zstd"

  resource "random123" do
    url "https://github.com/DEShawResearch/random123/archive/refs/tags/v1.14.0.tar.gz"
  end

  def install
    (buildpath/"random123").install resource("random123")
    ENV.append_to_cflags "-I#{buildpath}/random123/include"
    system "cmake", "-S", ".", "-B", "build/brew", "-G", "Ninja", "-DBUILD_TESTING=OFF", "-DCREDENS_MPI=OFF", *std_cmake_args
    system "cmake", "--build", "build/brew"
    system "cmake", "--install", "build/brew"
  end

  test do
    (testpath/"train.csv").write("a,y\n" + (0...60).map { |i| "#{i / 20.0},#{i * i / 400.0}\n" }.join)
    system bin/"credens", "fit", "train.csv", "--target", "y", "--members", "2", "--epochs", "2", "-o", "model.safetensors"
    assert_match "y_mean", shell_output("#{bin}/credens predict model.safetensors train.csv")
  end
end
