// Package jsonspan finds where the parts of a JSON text stand and rewrites a text by replacing some of its
// bytes. It never decodes a document and encodes it again, so whatever nobody asked to change comes out as it
// went in: number spelling, key order, escapes and white space.
//
// The order of use is always the same. [Scan] checks a text once, whole. [Members], [Elements] and [Find] then
// walk the checked text and hand out [Span] values. [Edit] values say what should stand in place of a span, and
// [Apply] writes the new text. A JSON text that itself stands inside a JSON string, escaped, is opened with
// [Decode], edited as if it stood alone, and its edits are carried back to the escaped bytes by [Text.Edits].
//
// The grammar is RFC 8259, with two deliberate liberties: the bytes of strings need not be valid UTF-8, and
// repeated member names are allowed (the last one counts, as in JSON.parse).
package jsonspan
