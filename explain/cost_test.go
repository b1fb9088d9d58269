package explain_test

import (
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
)

func TestMeasure(t *testing.T) {
	c := explain.Measure(1000, []explain.Phase{{Name: "read", Took: time.Second}, {Name: "search", Took: time.Hour}, {Name: "read", Took: time.Second}})
	if c.ReadPerSecond != 500 || c.BytesPerTransition != float64(c.PeakMemory)/1000 || c.PeakMemory <= 0 || c.PeakHeap <= 0 {
		t.Errorf("%+v", c)
	}
	if c := explain.Measure(0, nil); c.ReadPerSecond != 0 || c.BytesPerTransition != 0 {
		t.Errorf("%+v", c)
	}
}
