// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

// Manager is the name of a field manager. Each has one purpose; a name is part of the API, since users see it
// in managedFields and in conflicts, and renaming one orphans the fields that it owns.
type Manager string

// The operator's field managers.
const (
	// ManagerInstanceLifecycle owns the finalizer and the launch intent of an EC2Instance.
	ManagerInstanceLifecycle Manager = "ec2-instance-lifecycle"
	// ManagerInstance owns the instance's part of an EC2Instance's status.
	ManagerInstance Manager = "ec2-instance"
	// ManagerAccount owns an EC2Account's status.
	ManagerAccount Manager = "ec2-account"
	// ManagerOperator owns what the operator itself sets up, such as the EC2Account of --default-account.
	ManagerOperator Manager = "ec2-operator"
)
