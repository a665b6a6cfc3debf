package preview

import "time"

// ImpatientPolls makes a request for log lines come back at once.
func ImpatientPolls(o *Options) { o.pollPatience = time.Millisecond }

// HeaderToken is the header that carries the token.
const HeaderToken = headerToken

// MaxBodyBytes bounds a request of the page.
const MaxBodyBytes = maxBodyBytes

// MaxDocument bounds app data once it is decompressed.
const MaxDocument = maxDocument
