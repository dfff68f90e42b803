// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"
)

// noContext is the text of clientcmd's other error for a context that there is not.
var noContext = regexp.MustCompile(`context ".*" does not exist`)

// Explained adds to an error what somebody can do about it, where that is known.
func Explained(err error) error {
	switch {
	case err == nil:
		return nil
	case clientcmd.IsEmptyConfig(err):
		return fmt.Errorf("%w: name a kubeconfig with --kubeconfig or $KUBECONFIG", err)
	case clientcmd.IsContextNotFound(err), noContext.MatchString(err.Error()):
		return fmt.Errorf("%w: 'kubectl config get-contexts' shows those that there are", err)
	case unreachable(err):
		return fmt.Errorf("%w: check that the cluster runs and that --context or --kubeconfig names the right one", err)
	case meta.IsNoMatchError(err):
		return fmt.Errorf("%w: 'kubectl api-resources' shows the kinds that there are", err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("%w: log in to the cluster again", err)
	default:
		return err
	}
}

// unreachable tells whether nobody answered. The libraries do not keep the error whole everywhere, so that its text is what is
// left to look at.
func unreachable(err error) bool {
	var request *url.Error
	return errors.As(err, &request) || strings.Contains(err.Error(), "dial tcp")
}
