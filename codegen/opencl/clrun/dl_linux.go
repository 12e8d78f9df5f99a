package clrun

import "github.com/ebitengine/purego"

func dlopen() (uintptr, error) { return purego.Dlopen("libOpenCL.so.1", purego.RTLD_NOW) }

func dlsym(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
