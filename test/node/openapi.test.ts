import { inject } from 'vitest'
import { openApiContract } from '../contracts/openapi.ts'

openApiContract('Node', () => inject('api'))
