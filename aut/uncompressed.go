package aut

import "io"

// uncompressed is a writer without compression.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }

// zstdStages is how many blocks are processed at the same time: one is searched
// for matches while another one is encoded; more make nothing faster.
const zstdStages = 2
