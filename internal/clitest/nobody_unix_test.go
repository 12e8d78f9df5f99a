//go:build unix

package clitest

import "syscall"

// asNobody runs a process of root as the user nobody.
func asNobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
