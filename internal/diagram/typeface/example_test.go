package typeface_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/diagram/typeface"
)

func ExampleFamily_Width() {
	letters := typeface.Load()
	narrow := letters.Width("TIMEOUT", typeface.Style{Size: 10})
	wide := letters.Width("TIMEOUT", typeface.Style{Size: 20})
	fmt.Println("twice the size is twice as wide:", wide == 2*narrow)
	// Output:
	// twice the size is twice as wide: true
}
