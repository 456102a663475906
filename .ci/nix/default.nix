# SPDX-License-Identifier: GPL-2.0-only
# nix-build .ci/nix: tdstat with its metrics, and libtdstat
{ pkgs ? import <nixpkgs> { } }:

let
  # loaded when they are needed (lib/base/library.h)
  loaded = with pkgs; [ elfutils libipt libmicrohttpd libtracefs ncurses zlib zstd ];
  root = toString ../..;
in
pkgs.stdenv.mkDerivation {
  pname = "tdstat";
  version = "0.3.0";

  src = builtins.filterSource
    (path: type: path != root + "/build" && path != root + "/.git") ../..;

  nativeBuildInputs = with pkgs; [ bison flex pkg-config python3 ];
  buildInputs = loaded ++ (with pkgs; [ json_c libiberty libtraceevent ]);

  # libperf, the events and the metrics are from a kernel source
  postPatch = ''
    patchShebangs .ci metrics
    mkdir ../kernel
    tar -C ../kernel -xf ${pkgs.linux_latest.src} --strip-components=1 \
      --wildcards --no-wildcards-match-slash '*/Makefile' '*/tools'
    patchShebangs ../kernel/tools/perf/pmu-events
  '';

  makeFlags = [
    "prefix=${placeholder "out"}"
    "SHARED=1"
    "KERNEL_SRC=../kernel"
  ];
  enableParallelBuilding = true;

  postFixup = ''
    patchelf --add-rpath ${pkgs.lib.makeLibraryPath loaded} $out/bin/tdstat
  '';

  meta = {
    description = "Top-down profiler: what keeps the processor from useful work";
    homepage = "https://example.org/tdstat";
    license = with pkgs.lib.licenses; [ gpl2Only mit ];
    platforms = [ "x86_64-linux" ];
    mainProgram = "tdstat";
  };
}
