package upstream

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"
)

const (
	tilePixels = 256
	// closeZoom is where streets begin. Further out a tile is clear: the widget's own outlines are seen through it.
	closeZoom = 9
	maxZoom   = 22
	// maxTiles bounds the tiles that are kept, of about ten kilobytes each.
	maxTiles = 1000
)

// ground is what a pixel of a tile shows, and its index in a look.
const (
	ground = uint8(iota)
	park
	water
	street
	mainRoad
	nothing
)

// looks are the palettes, by the name that the widget asks for.
var looks = map[string]color.Palette{
	"street-light": {
		color.RGBA{240, 238, 232, 255},
		color.RGBA{207, 226, 194, 255},
		color.RGBA{170, 208, 226, 255},
		color.RGBA{255, 255, 255, 255},
		color.RGBA{249, 224, 164, 255},
		color.RGBA{},
	},
	"street-dark": {
		color.RGBA{44, 50, 58, 255},
		color.RGBA{42, 62, 54, 255},
		color.RGBA{28, 52, 74, 255},
		color.RGBA{62, 70, 80, 255},
		color.RGBA{96, 90, 70, 255},
		color.RGBA{},
	},
}

// tiles are those that were painted, by address; two at once may paint the same one.
type tiles struct {
	mu   sync.Mutex
	kept map[string][]byte
}

// get is a tile as a PNG: made-up streets, parks and water, the same for the same address.
func (t *tiles) get(z, x, y int, style string) []byte {
	name := fmt.Sprintf("%s/%d/%d/%d", style, z, x, y)
	t.mu.Lock()
	made, ok := t.kept[name]
	t.mu.Unlock()
	if ok {
		return made
	}
	made = encodeTile(paintTile(x*tilePixels, y*tilePixels, z >= closeZoom), looks[style])
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil || len(t.kept) >= maxTiles {
		t.kept = map[string][]byte{}
	}
	t.kept[name] = made
	return made
}

func encodeTile(pixels []uint8, look color.Palette) []byte {
	img := &image.Paletted{Pix: pixels, Stride: tilePixels, Rect: image.Rect(0, 0, tilePixels, tilePixels), Palette: look}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil // only an impossible size fails
	}
	return b.Bytes()
}

// paintTile is the ground of each pixel of the tile whose upper left corner is at x0, y0, in pixels of its zoom.
func paintTile(x0, y0 int, near bool) []uint8 {
	pixels := make([]uint8, tilePixels*tilePixels)
	if !near {
		for i := range pixels {
			pixels[i] = nothing
		}
		return pixels
	}
	roads, bank, green := newField(x0, y0, 520, 3), newField(x0, y0, 1100, 7), newField(x0, y0, 170, 19)
	streets := []field{newField(x0, y0, 66, 11), newField(x0, y0, 88, 5)}
	for y := range tilePixels {
		for x := range tilePixels {
			pixels[y*tilePixels+x] = kindOf(x, y, roads, bank, green, streets)
		}
	}
	return pixels
}

func kindOf(x, y int, roads, bank, green field, streets []field) uint8 {
	switch {
	case roads.contourPx(x, y) < 2:
		return mainRoad
	case math.Abs(bank.at(x, y)-0.5) < 0.014:
		return water
	}
	for _, s := range streets {
		if s.contourPx(x, y) < 1 {
			return street
		}
	}
	if green.at(x, y) > 0.74 {
		return park
	}
	return ground
}

// field is smooth noise over a tile, and one row and column more for its slopes. Its contour at a half is a winding
// line that goes on in the neighbouring tile.
type field []float64

const fieldSide = tilePixels + 1

func newField(x0, y0 int, cellPx float64, seed uint32) field {
	f := make(field, fieldSide*fieldSide)
	for y := range fieldSide {
		for x := range fieldSide {
			f[y*fieldSide+x] = noise(float64(x0+x)/cellPx, float64(y0+y)/cellPx, seed)
		}
	}
	return f
}

func (f field) at(x, y int) float64 { return f[y*fieldSide+x] }

// contourPx is about how far a pixel is from where the noise is a half.
func (f field) contourPx(x, y int) float64 {
	v := f.at(x, y)
	slope := math.Hypot(f.at(x+1, y)-v, f.at(x, y+1)-v)
	return math.Abs(v-0.5) / math.Max(slope, 1e-4)
}

// noise is between 0 and 1, smooth between the points of a lattice.
func noise(x, y float64, seed uint32) float64 {
	left, top := math.Floor(x), math.Floor(y)
	u, v := eased(x-left), eased(y-top)
	i, j := uint32(int64(left)), uint32(int64(top))
	above := mixed(lattice(i, j, seed), lattice(i+1, j, seed), u)
	below := mixed(lattice(i, j+1, seed), lattice(i+1, j+1, seed), u)
	return mixed(above, below, v)
}

func eased(t float64) float64 { return t * t * (3 - 2*t) }

func mixed(a, b, t float64) float64 { return a + (b-a)*t }

// lattice is a number from 0 to 1 that a point of the lattice always has.
func lattice(x, y, seed uint32) float64 {
	h := x*0x27d4eb2d ^ y*0x165667b1 ^ seed*0x9e3779b1
	h = (h ^ h>>15) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return float64(h^h>>16) / (1 << 32)
}
