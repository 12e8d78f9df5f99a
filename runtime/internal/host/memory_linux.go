package host

import "syscall"

// memory is the machine's free and total memory, swap included.
func memory() (free, total int64, err error) {
	var i syscall.Sysinfo_t
	if err := syscall.Sysinfo(&i); err != nil {
		return 0, 0, err
	}
	unit := int64(max(i.Unit, 1))
	return (int64(i.Freeram) + int64(i.Bufferram) + int64(i.Freeswap)) * unit, (int64(i.Totalram) + int64(i.Totalswap)) * unit, nil
}
