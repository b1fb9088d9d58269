package blocks

import (
	"io"
	"os"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/progress"
)

// zstdStages is how many blocks of zstd are in work: one is searched for matches while another
// one is decoded, and more make nothing faster.
const zstdStages = 2

// Input is the text of a file, decompressed where need be.
type Input struct {
	Source
	// Bytes is the number of bytes in the text, -1 if it is unknown.
	Bytes int64
	// Close gives back what the decompressor holds.
	Close func()
}

// NewInput returns the text of r. What is read is told to the meter, in bytes of r.
// Blocks are of size bytes.
func NewInput(r io.Reader, size int, meter *progress.Meter) (*Input, error) {
	if in := plainInput(r, size, meter); in != nil {
		return in, nil
	}
	left := Remaining(r)
	text, err := compressed.NewReader(&metered{r, meter}, zstdStages)
	if err != nil {
		return nil, err
	}
	if text.Format() != "" || left <= 0 { // some files of the system say that they are empty
		left = -1
	}
	return &Input{NewStream(text, size, LineMax), left, text.Close}, nil
}

// metered tells the meter of the bytes that are read.
type metered struct {
	r     io.Reader
	meter *progress.Meter
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.Add(int64(n))
	return n, err
}

// Remaining returns how many bytes r has left to read, -1 if it cannot tell.
func Remaining(r io.Reader) int64 {
	switch r := r.(type) {
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil || at > info.Size() {
			return -1
		}
		return info.Size() - at
	case interface{ Len() int }:
		return int64(r.Len())
	}
	return -1
}
