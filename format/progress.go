package format

import (
	"context"
	"io"
	"os"

	"github.com/inev-lts/inev/internal/progress"
)

// metered returns a reader of r that counts the bytes read in the phase "read",
// for formats whose readers do not.
func metered(ctx context.Context, r io.Reader) io.Reader {
	total := int64(0)
	switch r := r.(type) {
	case *os.File:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			at, _ := r.Seek(0, io.SeekCurrent)
			total = info.Size() - at
		}
	case *hashed:
		total = int64(max(0, r.Len()))
	}
	return &meteredReader{r, progress.Start(ctx, "read", progress.Bytes, total), total}
}

type meteredReader struct {
	r     io.Reader
	meter *progress.Meter
	left  int64 // 0 if it is not known
}

// Len returns how many bytes are left to be read, -1 if that is unknown.
func (m *meteredReader) Len() int {
	if m.left <= 0 {
		return -1
	}
	return int(m.left)
}

func (m *meteredReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.Add(int64(n))
	m.left -= int64(n)
	return n, err
}
