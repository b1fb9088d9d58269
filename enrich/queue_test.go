package enrich_test

import (
	"testing"

	"github.com/inev-lts/inev/enrich"
)

func TestParseQueue(t *testing.T) {
	for _, name := range []string{"buckets", "heap"} {
		if q, err := enrich.ParseQueue(name); err != nil || q.String() != name {
			t.Errorf("queue %s: %v, %v", name, q, err)
		}
	}
	if _, err := enrich.ParseQueue("x"); err == nil {
		t.Error("queue x must be refused")
	}
}
