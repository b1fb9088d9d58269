package resources

import "runtime/metrics"

// taken returns the memory that the process takes at this moment: the resident memory or the memory
// that Go's runtime has requested and not given back, whichever is more. The memory of the runtime
// includes arrays that are not written to yet; the resident memory includes that of code other than
// Go, such as a sandbox. Cost: some microseconds, without stopping goroutines.
func taken() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	bytes := int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
	if now, ok := resident(); ok {
		bytes = max(bytes, now)
	}
	return bytes
}
