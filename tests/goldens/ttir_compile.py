"""Compiles the recorded Triton IR with Triton, for sm_80 and sm_90; no GPU is needed.

  python -m venv ../triton && ../triton/bin/pip install triton==3.6.0      (640 MB; or tests/ttir/run)
  ../triton/bin/python tests/goldens/ttir_compile.py [NAME...]

Prints what each kernel became: bytes of machine code, shared memory, and how many instructions for tensor cores.  Exits with 1 if
one does not compile.  Nothing is kept between two runs.
"""

import os
import pathlib
import re
import sys
import tempfile
import time

os.environ["TRITON_ALWAYS_COMPILE"] = "1"
os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
import triton
from triton.backends.compiler import GPUTarget

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURES = (80, 90)


def main() -> None:
    wanted = sys.argv[1:]
    failed = compiled = 0
    begun = time.time()
    for recorded in sorted((ROOT / "tests/ttir").glob("*.ttir")):
        if wanted and not any(name in recorded.stem for name in wanted):
            continue
        parts = re.split(r"^// (\S+): .* programs$", recorded.read_text(), flags=re.M)[1:]
        for name, module in zip(parts[::2], parts[1::2]):
            for architecture in ARCHITECTURES:
                with tempfile.NamedTemporaryFile("w", suffix=".ttir", delete=False) as file:
                    file.write(module)
                try:
                    kernel = triton.compile(file.name, target=GPUTarget("cuda", architecture, 32), options={"num_warps": 4})
                    code = kernel.asm["ptx"]
                    products = len(re.findall(r"wgmma\.mma_async|mma\.sync", code))
                    print(
                        f"{recorded.stem:12} {name:16} sm_{architecture}  {len(kernel.asm['cubin']):7} bytes"
                        f"  {kernel.metadata.shared:6} shared  {products:3} tensor-core instructions",
                        flush=True,
                    )
                    compiled += 1
                except Exception as error:
                    print(f"FAILED {recorded.stem} {name} sm_{architecture}: {type(error).__name__}: {str(error)[:600]}")
                    failed += 1
                finally:
                    os.unlink(file.name)
    print(f"Triton {triton.__version__}: {compiled} compiled, {failed} failed, {time.time() - begun:.0f} s")
    sys.exit(1 if failed or not compiled else 0)


main()
