// Command gpugen turns .gpu files into CUDA, Metal, OpenCL and CPU kernels with type-safe Go wrappers, beside their sources.
//
// It is the only package that connects the compiler, the vendor toolchains and the file system; main calls run and
// nothing else, so that tests call run too. Run `gpugen help` for what it does.
package main

import (
	"os"

	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
)

func main() {
	nvrtc.WorkerMain() // a worker process compiles and never returns
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
