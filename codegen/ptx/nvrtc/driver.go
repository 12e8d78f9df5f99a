package nvrtc

// Driver is a driver version on both systems that have one, "520.61.05"; empty if the table below does not know.
type Driver struct {
	Linux   string `json:"linux,omitempty"`
	Windows string `json:"windows,omitempty"`
}

// releases says which CUDA version introduced a PTX version and which driver came with it. A driver loads PTX up to the
// version of its own CUDA, so that driver is the oldest that surely loads the artifact; for cubins it is cautious, since
// minor-version compatibility may let an older one of the same major version load them.
//
// Sources: "PTX ISA release history" in the PTX ISA reference, and the table "CUDA Toolkit and corresponding driver
// versions" in the CUDA release notes of each version (from 13.0 on the toolkit brings no Windows driver).
var releases = []struct {
	ptx, cuda string
	driver    Driver
}{
	{"7.2", "11.2", Driver{"460.27.03", "460.82"}},
	{"7.3", "11.3", Driver{"465.19.01", "465.89"}},
	{"7.4", "11.4", Driver{"470.42.01", "471.11"}},
	{"7.5", "11.5", Driver{"495.29.05", "496.04"}},
	{"7.6", "11.6", Driver{"510.39.01", "511.23"}},
	{"7.7", "11.7", Driver{"515.43.04", "516.01"}},
	{"7.8", "11.8", Driver{"520.61.05", "520.06"}},
	{"8.0", "12.0", Driver{"525.60.13", "527.41"}},
	{"8.1", "12.1", Driver{"530.30.02", "531.14"}},
	{"8.2", "12.2", Driver{"535.54.03", "536.25"}},
	{"8.3", "12.3", Driver{"545.23.06", "545.84"}},
	{"8.4", "12.4", Driver{"550.54.14", "551.61"}},
	{"8.5", "12.5", Driver{"555.42.02", "555.85"}},
	{"8.5", "12.6", Driver{"560.28.03", "560.76"}},
	{"8.7", "12.8", Driver{"570.26", "570.65"}},
	{"8.8", "12.9", Driver{"575.51.03", "576.02"}},
	{"9.0", "13.0", Driver{"580.65.06", ""}},
}

// cudaOf is the first CUDA version that knows a PTX version.
func cudaOf(ptx string) (string, bool) {
	for _, r := range releases {
		if r.ptx == ptx {
			return r.cuda, true
		}
	}
	return "", false
}

// driverOf is the driver that came with a CUDA version.
func driverOf(cuda string) Driver {
	for _, r := range releases {
		if r.cuda == cuda {
			return r.driver
		}
	}
	return Driver{}
}
