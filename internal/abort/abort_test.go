package abort_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/internal/abort"
)

func TestFirstErrorEndsWhatGoesOn(t *testing.T) {
	expected := errors.New("expected")
	after := false
	err := abort.Try(func() {
		func() {
			abort.On(nil)
			abort.On(expected)
		}()
		after = true
	})
	if err != expected || after {
		t.Errorf("error %v, went on: %v", err, after)
	}
	if err := abort.Try(func() { after = abort.Must(strconv.ParseBool("true")) }); err != nil || !after {
		t.Errorf("error %v, result %v", err, after)
	}
}

func TestOtherPanicsPass(t *testing.T) {
	defer func() {
		if raised := recover(); raised != "other" {
			t.Errorf("caught %v", raised)
		}
	}()
	_ = abort.Try(func() { panic("other") })
}
