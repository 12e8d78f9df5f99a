package clitest

import "syscall"

// asNobody is never called: no process of Windows has the user id 0.
func asNobody() *syscall.SysProcAttr { return nil }
