package batch_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
)

// TestRunWithoutFolder: a program that forgets the folder of results is told so.
func TestRunWithoutFolder(t *testing.T) {
	_, err := batch.Run(t.Context(), &batch.Manifest{}, batch.Settings{})
	if err == nil || !strings.HasPrefix(err.Error(), "the folder of results has no name") {
		t.Errorf("%v", err)
	}
}
