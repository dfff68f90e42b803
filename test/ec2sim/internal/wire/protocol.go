// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Reply is an HTTP answer that is ready to be sent.
type Reply struct {
	Status      int
	ContentType string
	Body        []byte
	// RequestID goes into the header X-Amzn-Requestid, where the SDK looks for it.
	RequestID string
}

// Protocol renders answers.
type Protocol interface {
	// Encode renders the answer to a call that succeeded.
	Encode(action, requestID string, out any) (Reply, error)
	// EncodeError renders an error answer.
	EncodeError(requestID string, e *Error) Reply
}

// Timestamp writes a time as EC2 does: RFC 3339 in UTC with milliseconds.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Head is embedded in every EC2 answer; Encode fills it.
type Head struct {
	RequestID string `xml:"requestId"`
}

func (h *Head) head() *Head { return h }

// EC2Query is the protocol of EC2.
type EC2Query struct {
	// Namespace is the XML namespace of answers.
	Namespace string
}

const (
	ec2ContentType  = "text/xml;charset=UTF-8"
	stsContentType  = "text/xml"
	jsonContentType = "application/x-amz-json-1.1"
)

// Encode wants a pointer to a struct that embeds Head.
func (p EC2Query) Encode(action, requestID string, out any) (Reply, error) {
	carrier, ok := out.(interface{ head() *Head })
	if !ok {
		return Reply{}, fmt.Errorf("answer of %s: %T does not embed wire.Head", action, out)
	}
	carrier.head().RequestID = requestID
	var buf bytes.Buffer
	if err := xml.NewEncoder(&buf).EncodeElement(out, responseElement(action, p.Namespace)); err != nil {
		return Reply{}, fmt.Errorf("answer of %s: %w", action, err)
	}
	return Reply{http.StatusOK, ec2ContentType, withDeclaration(buf.Bytes()), requestID}, nil
}

// EncodeError renders EC2's error document.
func (p EC2Query) EncodeError(requestID string, e *Error) Reply {
	type item struct {
		Code    string `xml:"Code"`
		Message string `xml:"Message"`
	}
	body, err := xml.Marshal(struct {
		XMLName   xml.Name `xml:"Response"`
		Errors    []item   `xml:"Errors>Error"`
		RequestID string   `xml:"RequestID"`
	}{Errors: []item{{e.Code, e.Message}}, RequestID: requestID})
	return errorReply(e, ec2ContentType, body, err, requestID)
}

// AWSQuery is the protocol of STS.
type AWSQuery struct {
	// Namespace is the XML namespace of answers.
	Namespace string
}

// Encode wraps out in <ActionResponse><ActionResult>.
func (p AWSQuery) Encode(action, requestID string, out any) (Reply, error) {
	var buf bytes.Buffer
	enc := xml.NewEncoder(&buf)
	root := responseElement(action, p.Namespace)
	metadata := struct {
		RequestID string `xml:"RequestId"`
	}{requestID}
	for _, step := range []func() error{
		func() error { return enc.EncodeToken(root) },
		func() error {
			return enc.EncodeElement(out, xml.StartElement{Name: xml.Name{Local: action + "Result"}})
		},
		func() error {
			return enc.EncodeElement(metadata, xml.StartElement{Name: xml.Name{Local: "ResponseMetadata"}})
		},
		func() error { return enc.EncodeToken(root.End()) },
		enc.Close,
	} {
		if err := step(); err != nil {
			return Reply{}, fmt.Errorf("answer of %s: %w", action, err)
		}
	}
	return Reply{http.StatusOK, stsContentType, buf.Bytes(), requestID}, nil
}

// EncodeError renders the error document of the Query protocol.
func (p AWSQuery) EncodeError(requestID string, e *Error) Reply {
	fault := "Sender"
	if e.Status >= http.StatusInternalServerError {
		fault = "Receiver"
	}
	type item struct {
		Type    string `xml:"Type"`
		Code    string `xml:"Code"`
		Message string `xml:"Message"`
	}
	body, err := xml.Marshal(struct {
		XMLName   xml.Name `xml:"ErrorResponse"`
		Namespace string   `xml:"xmlns,attr"`
		Error     item     `xml:"Error"`
		RequestID string   `xml:"RequestId"`
	}{Namespace: p.Namespace, Error: item{fault, e.Code, e.Message}, RequestID: requestID})
	return errorReply(e, stsContentType, body, err, requestID)
}

// AWSJSON is AWS JSON 1.1, the protocol of SSM.
type AWSJSON struct{}

// Encode renders out as it is.
func (AWSJSON) Encode(action, requestID string, out any) (Reply, error) {
	body, err := json.Marshal(out)
	if err != nil {
		return Reply{}, fmt.Errorf("answer of %s: %w", action, err)
	}
	return Reply{http.StatusOK, jsonContentType, body, requestID}, nil
}

// EncodeError renders the error object.
func (AWSJSON) EncodeError(requestID string, e *Error) Reply {
	body, err := json.Marshal(map[string]string{"__type": e.Code, "message": e.Message})
	return errorReply(e, jsonContentType, body, err, requestID)
}

func errorReply(e *Error, contentType string, body []byte, err error, requestID string) Reply {
	if err != nil { // cannot happen for plain strings; say it rather than send half a document
		return Reply{http.StatusInternalServerError, "text/plain", []byte(err.Error()), requestID}
	}
	if strings.Contains(contentType, "xml") {
		body = withDeclaration(body)
	}
	return Reply{e.Status, contentType, body, requestID}
}

func responseElement(action, namespace string) xml.StartElement {
	return xml.StartElement{
		Name: xml.Name{Local: action + "Response"},
		Attr: []xml.Attr{{Name: xml.Name{Local: "xmlns"}, Value: namespace}},
	}
}

func withDeclaration(body []byte) []byte { return append([]byte(xml.Header), body...) }
