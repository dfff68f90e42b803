// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package kubectlec2

// What users apply.
const (
	instance = `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata:
  name: web
  labels: {app.example.com/tier: front}
spec:
  image: {id: ami-0123456789abcdef0}
  instanceType: t3.micro
  subnetID: subnet-0aaaaaaaaaaaaaaaa
  securityGroupIDs: [sg-0123456789abcdef0, sg-0aaaaaaaaaaaaaaaa]
  userData: {inline: "#!/bin/sh\necho hush-hush\n"}
  tags:
    - {key: role, value: web}
    - {key: team, value: shop}
`
	costs = `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata: {name: web}
spec:
  instanceType: t3.micro
  tags: [{key: cost-center, value: "4711"}]
`
	status = `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata: {name: web}
status:
  instanceID: i-0123456789abcdef0
  conditions: [{type: Ready, status: "True", reason: Running, message: It runs., lastTransitionTime: "2026-01-01T00:00:00Z"}]
`
	deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  replicas: 2
  paused: true
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec:
      containers:
        - name: app
          image: example.com/app:1
          ports: [{containerPort: 80, protocol: TCP}]
`
)

// sharedInstance makes the instance that three managers share.
func (r *rig) sharedInstance() {
	r.Helper()
	r.apply("kubectl", instance)
	r.apply("team-costs", costs)
	r.apply("ec2-instance", status, "--subresource=status")
}
