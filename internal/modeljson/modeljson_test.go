package modeljson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/modeljson"
)

type state uint32

type step struct {
	From  state    `json:"from"`
	Label string   `json:"label"`
	Notes []string `json:"notes"`
}

func TestFormats(t *testing.T) {
	s := step{From: 7, Label: "a\xff<\u2028\n"}
	for want, format := range map[string]modeljson.Format{
		`{"from":7,"label":"a\\xff<\u2028\n","notes":[]}`:    modeljson.Plain(),
		`{"from":"s7","label":"a\\xff<\u2028\n","notes":[]}`: modeljson.Named(func(s state) string { return fmt.Sprint("s", uint32(s)) }),
	} {
		got, err := format.Marshal(s)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
	var b strings.Builder
	if err := modeljson.Plain().Write(&b, []state{1, 2}, "  "); err != nil || b.String() != "[\n    1,\n    2\n  ]" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}
