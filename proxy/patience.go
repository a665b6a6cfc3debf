package proxy

import (
	"net/http"
	"time"
)

// hostPatience is how long a host may take for a piece of an answer before its connection counts as gone. What the
// gateway holds for an answer counts against Options.MaxBufferedBytes until it is written: without a bound, hosts that
// read nothing could take all of it, for good.
const hostPatience = time.Minute

// patientPiece is how much of an answer has that long. A slow host, 10 kbit/s and more, gets through.
const patientPiece = 64 << 10

// patience bounds how long each write to a host may take. Between two writes there is no bound.
func patience(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &patientWriter{ResponseWriter: w, controller: http.NewResponseController(w), limit: limit}
		next.ServeHTTP(p, r)
		p.extend() // for what the server still has to send; it lifts the bound itself
	})
}

type patientWriter struct {
	http.ResponseWriter
	controller *http.ResponseController
	limit      time.Duration
	extended   time.Time
}

// extend starts the time anew, unless it was just started: a deadline costs more to set than many pieces take. Each
// piece has the whole limit, and may have a little more. Setting fails only where there is no connection, as in tests.
func (p *patientWriter) extend() {
	now, slack := time.Now(), p.limit/60
	if now.Sub(p.extended) < slack {
		return
	}
	p.extended = now
	_ = p.controller.SetWriteDeadline(now.Add(p.limit + slack))
}

// Unwrap is for http.ResponseController.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write writes b piece by piece.
func (p *patientWriter) Write(b []byte) (written int, err error) {
	for {
		piece := b[:min(len(b), patientPiece)]
		p.extend()
		n, err := p.ResponseWriter.Write(piece)
		written += n
		if b = b[len(piece):]; err != nil || len(b) == 0 {
			return written, err
		}
	}
}

// FlushError is for http.ResponseController.
func (p *patientWriter) FlushError() error {
	p.extend()
	return p.controller.Flush()
}
