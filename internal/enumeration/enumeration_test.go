package enumeration_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/enumeration"
)

type size uint8

func TestNames(t *testing.T) {
	sizes := enumeration.New("size", "", "small", "medium", "large")
	for value, name := range []string{"", "small", "medium", "large"} {
		if got := sizes.Name(uint8(value)); got != name {
			t.Errorf("value %d is %q, want %q", value, got, name)
		}
		text, err := sizes.Text(uint8(value))
		if err != nil || string(text) != name {
			t.Errorf("value %d is written %q, %v", value, text, err)
		}
		again := size(99)
		if err := enumeration.Set(sizes, &again, text); err != nil || int(again) != value {
			t.Errorf("%q is read as %d, %v", text, again, err)
		}
	}
	if got := sizes.Name(7); got != "size 7" {
		t.Errorf("a value without a name is %q", got)
	}
	if text, err := sizes.Text(7); err == nil {
		t.Errorf("a value without a name is written %q", text)
	}
	before := size(2)
	err := enumeration.Set(sizes, &before, []byte("Small"))
	if want := `there is no size "Small"; choose small, medium or large`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if before != 2 {
		t.Errorf("a text that is no name changes the value to %d", before)
	}
}
