package aut

import "io"

// uncompressed is the writer of what is not compressed.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }

// zstdStages is how many blocks are in work: one is searched for matches
// while another one is encoded, and more make nothing faster.
const zstdStages = 2
