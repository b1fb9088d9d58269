package resources

import "runtime"

// Usage is the memory that the process took, in bytes.
type Usage struct {
	// Peak is the largest resident memory so far, if the system reports it; otherwise all memory
	// that Go's runtime has requested.
	Peak int64
	// PeakHeap is the largest size of Go's heap so far, as runtime.MemStats.HeapSys estimates it.
	PeakHeap int64
}

// Used returns the memory taken so far. Cost: it stops the goroutines for some microseconds.
func Used() Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := Usage{Peak: int64(m.Sys), PeakHeap: int64(m.HeapSys)}
	if peak, ok := peakResident(); ok {
		u.Peak = peak
	}
	return u
}
