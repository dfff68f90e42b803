package v1 // want "goheader: Missed header for check"
