package enrich_test

import (
	"testing"

	"github.com/inev-lts/inev/enrich"
)

func TestSetQueue(t *testing.T) {
	for _, name := range []string{"auto", "buckets", "heap"} {
		var q enrich.Queue
		if err := q.Set(name); err != nil || q.String() != name {
			t.Errorf("queue %s: %v, %v", name, q, err)
		}
	}
	if err := new(enrich.Queue).Set("x"); err == nil {
		t.Error("queue x must be refused")
	}
}
