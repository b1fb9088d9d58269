package blocks

import (
	"io"
	"os"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/progress"
)

// zstdStages is how many blocks of zstd are processed at the same time: one is searched for matches
// while another one is decoded; more blocks make nothing faster.
const zstdStages = 2

// Input is the text of a file, decompressed if necessary.
type Input struct {
	Source
	// Bytes is the number of bytes in the text, -1 if it is unknown.
	Bytes int64
	// Close frees the memory of the decompressor.
	Close func()
}

// NewInput returns the text of r in blocks of size bytes. The meter counts the
// bytes read from r.
func NewInput(r io.Reader, size int, meter *progress.Meter) (*Input, error) {
	if in := plainInput(r, size, meter); in != nil {
		return in, nil
	}
	left := Remaining(r)
	text, err := compressed.NewReader(&metered{r, meter}, zstdStages)
	if err != nil {
		return nil, err
	}
	if text.Format() != "" || left <= 0 { // some files of the system claim to be empty
		left = -1
	}
	return &Input{NewStream(text, size, LineMax), left, text.Close}, nil
}

// metered adds the bytes read to a meter.
type metered struct {
	r     io.Reader
	meter *progress.Meter
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.Add(int64(n))
	return n, err
}

// Remaining returns how many bytes of r are still to be read, -1 if that is unknown.
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
