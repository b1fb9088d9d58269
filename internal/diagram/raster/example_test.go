package raster_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/raster"
)

// Two pixels a point: a picture of 20 by 10 points has 40 by 20 pixels.
func ExampleDraw() {
	picture := `<svg width="20pt" height="10pt" viewBox="0.00 0.00 20.00 10.00" xmlns="http://www.w3.org/2000/svg">
<polygon fill="#ff0000" stroke="none" points="0,0 0,10 20,10 20,0 0,0"/>
</svg>`
	image, err := raster.Draw(strings.NewReader(picture), 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(image.Bounds().Size())
	fmt.Println(image.At(5, 5))
	// Output:
	// (40,20)
	// {255 0 0 255}
}
