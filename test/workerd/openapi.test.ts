import { inject } from 'vitest'
import { openApiContract } from '../contracts/openapi.ts'

openApiContract('workerd', () => inject('api'))
