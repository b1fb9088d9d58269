package progress_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/progress"
)

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB",
		12_300_000_000: "12 GB", 1<<63 - 1: "9.2 EB",
	} {
		if got := progress.Bytes.Format(n); got != want {
			t.Errorf("%d bytes are written %q, want %q", n, got, want)
		}
	}
}

func TestFormatNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 300_000_000: "300,000,000", 12_345: "12,345"} {
		for _, unit := range []progress.Unit{progress.States, progress.Transitions, progress.Jobs, progress.Events} {
			if got := unit.Format(n); got != want {
				t.Errorf("%d is written %q, want %q", n, got, want)
			}
		}
	}
}
