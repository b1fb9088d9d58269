package page

import (
	"os"
	"testing"

	"github.com/inev-lts/inev/internal/browsertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}
