package upstream

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The palette of the demonstration's map images: land in a few tones, water, streets, the drawn lines and markers.
var mapPalette = color.Palette{
	color.RGBA{242, 239, 233, 255},
	color.RGBA{240, 237, 230, 255},
	color.RGBA{238, 235, 228, 255},
	color.RGBA{225, 236, 214, 255},
	color.RGBA{221, 233, 210, 255},
	color.RGBA{170, 211, 223, 255},
	color.RGBA{172, 213, 225, 255},
	color.RGBA{255, 255, 255, 255},
	color.RGBA{249, 115, 22, 255},
	color.RGBA{66, 133, 244, 255},
}

const (
	streetColor = 7
	trackColor  = 8
	markerColor = 9
)

// mapImage draws lines and markers over an invented landscape, and gives a PNG in base64. Nobody should mistake it for
// a map: it is there so that the result has an image block of a real one's size.
func mapImage(r random, width, height int, box bounds, tracks [][]position, markers []position) []byte {
	img := image.NewPaletted(image.Rect(0, 0, width, height), mapPalette)
	paintLand(r, img)
	for range 14 {
		x, y := r.IntN(width), r.IntN(height)
		drawSegment(img, x, y, r.IntN(width), r.IntN(height), 0, streetColor)
	}
	pixel := func(p position) (int, int) {
		return int((p[0] - box[0]) / (box[2] - box[0]) * float64(width)), int((box[3] - p[1]) / (box[3] - box[1]) * float64(height))
	}
	for _, t := range tracks {
		x0, y0 := pixel(t[0])
		for _, p := range t[1:] {
			x1, y1 := pixel(p)
			if x0 != x1 || y0 != y1 {
				drawSegment(img, x0, y0, x1, y1, 1, trackColor)
			}
			x0, y0 = x1, y1
		}
	}
	for _, p := range markers {
		x, y := pixel(p)
		drawSegment(img, x, y, x, y, 4, markerColor)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil // only an impossible size fails, and the schema bounds it
	}
	return base64.StdEncoding.AppendEncode(nil, b.Bytes())
}

// paintLand fills an image with fields, woods and water, each of two or three tones at random: that noise is what gives
// the file its size.
func paintLand(r random, img *image.Paletted) {
	a, b := r.between(0, 6), r.between(0, 6)
	w := img.Rect.Dx()
	for i := range img.Pix {
		x, y := float64(i%w), float64(i/w)
		switch f := math.Sin(x/70+a) + math.Cos(y/55+b) + math.Sin((x+y)/31); {
		case f > 1.5:
			img.Pix[i] = uint8(5 + r.IntN(2))
		case f < -0.9:
			img.Pix[i] = uint8(3 + r.IntN(2))
		default:
			img.Pix[i] = uint8(r.IntN(3))
		}
	}
}

// drawSegment draws a straight line that reaches a number of pixels to each side.
func drawSegment(img *image.Paletted, x0, y0, x1, y1, reach int, index uint8) {
	steps := max(1, abs(x1-x0), abs(y1-y0))
	if steps > 1<<14 {
		return // far outside of the image
	}
	for s := range steps + 1 {
		x, y := x0+(x1-x0)*s/steps, y0+(y1-y0)*s/steps
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				if (image.Point{X: x + dx, Y: y + dy}).In(img.Rect) {
					img.SetColorIndex(x+dx, y+dy, index)
				}
			}
		}
	}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
