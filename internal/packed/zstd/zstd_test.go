package zstd

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
)

// squares are the squares of 0 to 299, each with a space after it, as zstd -19 compresses them.
const squares = "KLUv/QRorRYAamdACwmweaQ0ttsYnQquAK0AsgAjlQZAGlsze2Z1mb1iJu3sArMi+tz5ePkA/NH9TPBVS/YZmfSyj2XVkJkoo0EGUB4/nnuvyN4lPGm9F3j1" +
	"itkUYycG8BjJMT9i5cYejEkhdlZXQJ1hOsI7AOkI7gzRFbQ72UmhexRXJs4fjnQO4BwrnG2uHtyrnLTchVwRcC5wfA2gRtNMs+rs80m/j6wqM3m0B+DxMTdW" +
	"1F06affi6pzNsRwAR5q/8h6T7lzN4yDv2JIO4NKRKp1f7sp39wh3UnB3TnQFjs7A6AjUDkDaEdrOUOwKzu4MdlJg9xjoyobOJ3QkKg7gxbFRnA3F1Ye4l4mT" +
	"lrhLDVf04VwPx3M4gDpH/5wpzlV57kPCSS/cJ4SrUjgTmaNvDsDmeJpzK7iiB3dxcNIG96py9SlnSzk2ygGwHInI+SdXNrlHyUmB3EnAFRw4g4EjFDgAAI5A" +
	"NcNrBa6drUmh9iBa+TTfFCEDqMpoV2YqyqpC2Qcokx5kH4KsOuWZWh5N5AGYPL7Gc2W8Ihjv8nvS3nuNePUQzy57rNgDoD3Sw/MbXpnqPVxPCvXO0ysoPQOB" +
	"RzB4AAAe4RUztGIFRLHTFJMCxR6fWLkT8+kxkh8D4GPsSMwOidXLsZc4Jq1jF4pYkSPmMmL8NAbgxmhozHTGqsHYpyAmPcQ+hVi1qjNJdXSrAyjqeKHOLXVF" +
	"NN1FppN2uhe9q8s7uwEjuGgGIlpBiXZ+aFIY2sOnlUlofoVGumkANI2VoNlVWj1Kew1p0pJ2OdCKAGiu1IwvmgGYZjTNzNSZVeezDz+TXmYfkFlVPDNVzGjH" +
	"DKA646MzlzgrKmeXgZm0MHu9vjrrs08fS/oAPh8J5vPlXxn+PUQ+Kch3ir8C8GeQ+AgQH4D0I0A/g/ArAH6nwCcF+B5SsjKUzBeSkYBkAB8Zy5HZv6zOy14X" +
	"mbQiu4xlRbXMpZDxEQDRaa52"

func unpack(data []byte) ([]byte, error) {
	return io.ReadAll(io.LimitReader(NewReader(bufio.NewReader(bytes.NewReader(data)), 8<<20), 1<<20))
}

// TestSquares reads a frame, twice with one to skip between, and refuses it with any byte changed or cut off.
func TestSquares(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(squares)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for i := range 300 {
		want += fmt.Sprintf("%d ", i*i)
	}
	skipped := "\x5a\x2a\x4d\x18\x02\x00\x00\x00ab"
	if got, err := unpack([]byte(string(data) + skipped + string(data))); err != nil || string(got) != want+want {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	for i := range data {
		if got, err := unpack(data[:i]); err == nil && i > 0 {
			t.Errorf("%d of %d bytes are %d bytes", i, len(data), len(got))
		}
		for bit := range 8 {
			changed := bytes.Clone(data)
			changed[i] ^= 1 << bit
			if got, err := unpack(changed); err == nil && i != 4 && string(got) != want { // byte 4 says whether there is a checksum
				t.Errorf("with bit %d of byte %d changed there are %d other bytes", bit, i, len(got))
			}
		}
	}
	if _, err := unpack([]byte("\x28\xb5\x2f\xfd\x00\xff")); err == nil {
		t.Error("a window of terabytes is taken")
	}
}

// TestRandom reads what the program zstd makes of random data of several kinds.
func TestRandom(t *testing.T) {
	extsolver.Require(t, "zstd")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		data := make([]byte, r.IntN(1<<(3+i*2/5)))
		for j := range data {
			switch back := 1 + r.IntN(100) + i/4*1000; {
			case i%4 == 0:
				data[j] = byte(r.Uint32())
			case i%4 == 1:
				data[j] = "0123456789,\n"[r.IntN(12)]
			case i%4 == 2 && j >= back && r.IntN(30) > 0:
				data[j] = data[j-back]
			case i%4 == 3 && j >= i*100 && r.IntN(100) > 0:
				data[j] = data[max(0, j-i*100)]
			default:
				data[j] = byte(r.NormFloat64()*10 + 100)
			}
		}
		cmd := exec.Command("zstd", "-q", "-c", []string{"-1", "-3", "-9", "-19", "--fast=3"}[r.IntN(5)])
		if slices.Contains(cmd.Args, "-19") || i%2 == 0 {
			cmd.Args = append(cmd.Args, fmt.Sprint("--stream-size=", len(data))) // without it, the program takes a second for the largest window
		}
		cmd.Stdin = bytes.NewReader(data)
		z, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(NewReader(bufio.NewReader(bytes.NewReader(z)), 8<<20))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("data %d: %d bytes of %d, %v", i, len(got), len(data), err)
		}
	}
}

// FuzzRead looks for data that end the program.
func FuzzRead(f *testing.F) {
	data, err := base64.StdEncoding.DecodeString(squares)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = unpack(data) })
}
